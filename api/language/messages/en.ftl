# English. `$value` is a text, `$n` a count that selects the plural.

number-group = ,
number-decimal = .
percent = { $value }%
points = { $n ->
    [one] { $value } pt
   *[other] { $value } pts
}
labelled = { $what }: { $value }
interval = 95% interval { $value }
date = { $day } { $month } { $year }
date-short = { $day } { $month }
month-1 = Jan
month-2 = Feb
month-3 = Mar
month-4 = Apr
month-5 = May
month-6 = Jun
month-7 = Jul
month-8 = Aug
month-9 = Sep
month-10 = Oct
month-11 = Nov
month-12 = Dec

skip = Skip to content
navigation = Pages
nav-overview = Overview
nav-answers = Answers
nav-stores = Stores
nav-campaigns = Campaigns
nav-imports = Imports
nav-recipients = Recipients
nav-senders = SMS senders
recipient = Recipient
nav-forms = Forms
nav-people = Team
nav-keys = API keys
nav-audit = Audit log
sign-in = Sign in
sign-in-wrong = Wrong name or password. Please try again.
sign-in-link = You are about to sign in as { $value }. The link works once.
first-heading = Welcome
first-text = You are the first to sign in here, so you become the admin: you can invite everybody else.
first-name = Your name, to sign in with
first-go = Create account and sign in
sign-in-link-password = Hello { $value }, please choose a new password. This link works once.
sign-in-link-set = Save password and sign in
oidc-sign-in = Sign in with { $value }
oidc-or = Or with your name and password here:
oidc-away = { $value } does not answer just now. Please try again in a few minutes. If you have a password here, you can sign in with it.
oidc-refused = { $value } did not sign you in. Please try again. If it happens again, tell whoever runs this service.
oidc-anew = Signing in took too long, or it began in another window or browser. Please begin again.
oidc-no-role = { $value } knows you, but gives you no role here. Ask those who manage sign-ins in your company for one, often the IT department.
oidc-no-role-claim = What they need to know: nothing that “{ $value }” says of you stands in FEEDBACK_OIDC.
oidc-no-role-email = What they need to know: your email address does not stand in FEEDBACK_OIDC, or { $value } does not say that it is verified (email_verified).
oidc-last-admin = { $value } no longer makes you an admin, but nobody else is one here. Another admin has to sign in first.
oidc-no-account = { $value } gives you a role in a company that does not exist here. Please tell whoever runs this service.
oidc-name-taken = Somebody else is already called as { $value } calls you. Please tell whoever runs this service.
oidc-own = Your company’s sign-in lets you in. You change your password and your second factor there.
oidc-person = Your company’s sign-in lets them in and gives them this role.
people-provider = Your company’s sign-in lets them in: they have no password here.
retention = How long data is kept
retention-note = What is older is deleted for good, every day. Your figures stay: reports count it for ever. Nobody is asked twice because of it.
retention-ever = for ever
retention-answers = Days to keep answers
retention-answers-note = With all that was written. Lists, exports and comments have no older ones.
retention-visits = Days to keep visits
retention-visits-note = Who opened which page when.
retention-messages = Days to keep messages
retention-messages-note = Of campaigns that are over, since they ended. Their links end too.
retention-audit = Days to keep the audit log
retention-audit-note = At least 90 days.
retention-sealed = Deleted up to { $value }.
retention-holds = Nothing more is deleted before { $value }. Until then you can still change the days back.
retention-look = See what would be deleted
retention-goes = This is deleted 24 hours from now:
retention-goes-answers = { $n ->
    [one] { $value } answer
   *[other] { $value } answers
}
retention-goes-visits = { $n ->
    [one] { $value } visit
   *[other] { $value } visits
}
retention-goes-messages = { $n ->
    [one] { $value } message
   *[other] { $value } messages
}
retention-goes-audit = { $n ->
    [one] { $value } row of the audit log
   *[other] { $value } rows of the audit log
}
retention-goes-none = Nothing is that old yet. From 24 hours on, what gets older is deleted every day.
retention-sure = Until then you can change the days back here. After that nothing can be brought back. Would you like to do that?
retention-set = Delete what is older
retention-wrong = Please give whole numbers of days: from 1 to 36,500, for the audit log from 90.
sealed-answers = Answers up to { $value } are deleted. The figures count them; lists and comments do not have them.
sealed-messages = The messages of this campaign are deleted. Its figures stay.
sealed-campaigns = Messages of campaigns that ended by { $value } are deleted. Their figures stay.
company = Company
company-name = Company name
company-note = It stands on your dashboard, and on the pages that your customers see.
company-save = Save name
company-wrong = A company name has 1 to 100 characters.
time-zone = Time zone
time-zone-choose = Choose a time zone
time-zone-note = Your reports count days in this time zone. You can change it until the first person is imported or the first answer arrives.
time-zone-stays = The time zone cannot be changed any more: reports have already counted days in it.
time-zone-save = Save time zone
simulated = Simulated: no SMS reaches a phone yet. Ask your IT to connect an SMS provider.
simulated-campaign = Simulated: this campaign’s sender reaches no phones.
step-delivered-simulated = Delivered (simulated)
status-delivered-simulated = Delivered (simulated)
sign-out = Sign out
to-dashboard = To the dashboard
trouble-not-found = There is nothing here
trouble-forbidden = You cannot do this
trouble-too-many = Too many tries
trouble-unavailable = We cannot answer just now
trouble-link-gone = This link does not work any more
trouble-other = That did not work

range = Days
range-today = Today
range-days = { $value } days
range-other = Other dates
range-turned = “From” is after “To”. The last 30 days are shown.
range-wrong = These dates are no range of at most 1,830 days. The last 30 days are shown.
range-this-week = This week
range-last-week = Last week
range-this-month = This month
range-last-month = Last month
range-this-quarter = This quarter
range-last-quarter = Last quarter
range-this-year = This year
range-last-year = Last year
compare = Compared with
compare-before = The time before
compare-year = A year ago
compared-with = Compared with { $value }
not-over = Today is not over yet, so there is nothing to compare it with.
help = What is this?
range-from = From
range-to = To
show = Show
apply = Apply
search = Search
all = All
next-page = Next page
as-table = As a table
day = Day

card-views = Openings
card-responses = Answers
card-response-rate = Completion rate
card-answered = Response rate
card-of-delivered = { $n ->
    [one] of { $value } delivered message
   *[other] of { $value } delivered messages
}
help-completed = How many answers came of all openings of the form. Who opens it twice counts twice.
help-answered = How many of the messages that arrived were answered.
help-satisfied = How many of those who chose a smiley chose one of the best two. The interval says where the figure would likely be if everybody had answered: the more answers, the narrower.
help-nps = Net Promoter Score: the percentage of promoters (9–10) minus that of detractors (0–6), from −100 to 100. The interval says where it would likely be if everybody had answered: the more answers, the narrower.
card-happiness = Satisfied (4–5)
card-nps = NPS
card-of-views = { $n ->
    [one] of { $value } opening
   *[other] of { $value } openings
}
card-before = { $value } before
card-since = data only since { $value }
clear = Clear change
by-chance = No clear change
too-few = Too few answers to judge
coming-in = today is still coming in
chart-days = Openings and answers by day
chart-nps = Net Promoter Score
chart-nps-line = last 7 days
chart-nps-band = 95% interval
chart-nps-empty = Nobody has answered a question from 0 to 10 yet.
chart-nps-empty-past = Nobody answered a question from 0 to 10 on these days.
chart-dip-stores = Stores on these days
chart-dip-detractors = Detractors with comments
chart-dip = Clear low: { $value }, NPS
nps-week = NPS, last 7 days
funnel = From import to answer
step = Step
number = Number
of-step-before = Of the step above
of-recipients = Of all recipients
funnel-note = Each step is counted on the day on which it happened. Imported are the people who are stored now: who was erased since is left out. Openings and answers are counted of links without a message too, such as a QR code. The share is of the step above.
form = Form
forms-all = All forms
forms-none = No form is published yet.
trend = Trend
steps-heading = First steps
steps-done = { $value } done
step-is-done = Done:
steps-form = Create a form and publish it
steps-note-form = five minutes, or start from a template
steps-people = Import your customers
steps-note-people = an Excel or CSV file is enough
steps-sender = Connect an SMS provider
steps-note-sender = done by whoever runs this service; until then messages are only simulated
steps-campaign = Start a campaign
steps-note-campaign = it sends each customer a link to the form
steps-answer = Receive the first answer
steps-note-answer = it shows here within a second
new-import = Import recipients

step-imported = Imported (still stored)
step-recipients = Recipients
step-scheduled = Queued
step-sent = Sent
step-delivered = Delivered
step-viewed = Viewed
step-opened = Openings of the form
step-answered = Answered

bus-prop = Group
nps-parts = Promoters and detractors
nps-promoters = Promoters (9–10)
nps-passives = Passives (7–8)
nps-detractors = Detractors (0–6)
nps-all = All scores
answers-n = { $n ->
    [one] { $value } answer
   *[other] { $value } answers
}
comments-n = { $n ->
    [one] { $value } comment
   *[other] { $value } comments
}
mean = mean { $value }
field-removed = no longer in the form
nps-interval = NPS with margin of error
table-of = Compared by { $value }
stores-few = Pale: fewer than 30 answers and no clear difference.
stores-small = Fewer than 30 answers
table-note = The band is the 95% interval.
property-store = store
property-region = region
property-city = city
property-country = country
property-channel = channel
property-first-name = first name
property-last-name = last name
stores-property = Compare by
stores-none = No form has stores or groups to compare yet. Add them to a form.
stores-without = “{ $value }” has no stores or groups to compare.
stores-add = Add them to the form
stores-responses = Answers
stores-nps = NPS
stores-rest = Against the rest
stores-rest-short = vs. rest
stores-change = Change
stores-satisfied = Satisfied (4–5)
stores-completed = Completion rate
stores-answered = Response rate
stores-differs = Clear difference
stores-note = The completion rate is of all openings of the form, the response rate of the messages that arrived.
stores-judged-none = Stores are compared from 10 answers on, which none has yet.
stores-chance = Only those with at least 10 answers are compared: of { $value } comparisons chance alone would mark about { $what }.
stores-chance-few = Only those with at least 10 answers are compared: chance alone would hardly mark any.
stores-all = Show all { $value }
stores-alike = No clear difference
stores-no-value = { $value ->
    [store] Without a store
   *[other] Without { $value }
}
stores-none-note = The last row has the answers that belong to none of these. They are compared with nothing, and no list has these alone.
help-rest = By how many points its NPS is above or below that of the others together.
stores-differing = Stores that stand out
stores-none-differs = No store differs from the rest, or from the time before, by more than chance.
stores-help-name = What is compared.
stores-help-responses = Answers on these days.
stores-help-interval = Where the NPS would probably be if everybody had answered (95% interval).
stores-help-differs = “yes” where the difference from the others is more than chance.
stores-help-change = By how many points the NPS is above or below that of the time before.
stores-help-changed = “yes” where the change is more than chance.
stores-help-month = The NPS of that month.
stores-months = NPS by month
stores-months-whole = { $n ->
    [one] The whole month: days that are not chosen count too.
   *[other] { $value } whole months: days that are not chosen count too.
}
stores-tones = Green is above the NPS of the form in that month, red below it: the stronger, the further (10, 20 or 40 points). Pale figures have fewer than 30 answers.
terms = What detractors say that others do not
terms-here = What detractors here say and others do not
terms-of = { $n ->
    [one] Of the last written answer with a score
   *[other] Of the last { $value } written answers with a score
}
terms-compared = What detractors of “{ $value }” wrote is compared with all other answers to the form, also those of others.
terms-none = Nothing stands out beyond chance.
terms-detractors = Read what detractors wrote
share = Share
share-for = Link valid for
copy-link = Copy link
copied = Copied
shares = Shared pages
shares-note = Whoever has the link sees this one page with its current figures, and no other page.
shares-none = Nothing is shared. The overview and the page of each form have “Share” at their end.
texts-not-shared = Short texts are not shown on a shared page, the latest comments are.
share-made = Copy the link now, it is shown for ten minutes only
share-until = until { $value }
share-withdraw = Withdraw
latest-comments = Latest comments
comments-none = No comments on these days.
all-comments = All comments
all-answers = All answers
smiley = Smiley
words = Words
track-field = Column
answers-show = Show
answers-comments = Comments
answers-all = All answers
narrowed-remove = Remove this filter
answers-one = One answer
answers-older = Next older answer
answers-person = Person
answers-export-form = Choose a form to export: each form has its own questions.
read-on = Read on
answers-none = No answers on these days.
answers-no-match = Nothing matches on these days.

upload = Import a file
upload-text = A file from Excel or any other program: CSV, XLSX, JSON or NDJSON. Drop it here; nothing is stored before you have seen what is in it.
upload-file = Choose a file
upload-campaign = Campaign
upload-no-campaign = Import only, send nothing
upload-go = Look at the file
upload-arriving = The file is on its way …
import-file = File
file-kind = The file must be CSV, XLSX, JSON or NDJSON. An older Excel file (.xls) can be saved as .xlsx in Excel.
file-too-large = The file is too large. Save it as CSV, or divide it. ({ $value })
file-broken = The file cannot be read. Open it in Excel, save it as .xlsx and choose that file. ({ $value })
file-columns = What is in the file
file-columns-text = Say what each column is. What is kept can be used in messages and to group answers.
file-other-sheets = Only the first sheet of the file is read, not: { $value }. Save these as files of their own and import them too.
file-read = How the file was read
file-written = Written with
delimiter-comma = commas
delimiter-semicolon = semicolons
delimiter-tab = tabs
delimiter-bar = bars
file-examples = Examples
file-use = Use as
column-keep = Keep with each person
column-skip = Leave out
column-phone = Phone
column-docid = Customer number
column-both = Phone and customer number (then seen by everybody)
column-submitted-at = Answered
column-feedback-id = Answer ID
column-created-at = Created
column-updated-at = Changed
column-batch-id = Import ID
column-message-id = Message ID
column-campaign-id = Campaign
column-kind = Kind
column-status = Status
column-skipped-reason = Why skipped
column-parts = SMS (billed)
column-encoding = Characters
column-sender = Sender
column-provider-ids = IDs of the provider
column-provider-code = Code of the provider
column-scheduled-at = Planned for
column-accepted-at = Sent
column-delivered-at = Delivered
column-viewed-at = Viewed
column-answered-at = Answered
file-country = Numbers without country code are from
file-no-country = All have a country code
file-look = Show the outcome
choose-phone = Choose the column with the phone numbers.
choose-one-phone = Two columns are the phone. Choose one, and leave the other out or keep it.
choose-docid = Choose the column with the customer numbers. If there is none, the phone can be both.
choose-one-docid = Two columns are the customer number. Choose one, and leave the other out or keep it.
file-outlook = What will be imported
file-new = New people
file-known = Known already
file-known-text = Their phone and columns are replaced.
file-rejected-text = These rows are left out.
merged = Repeated rows
file-rows = { $n ->
    [one] { $value } row
   *[other] { $value } rows
}
file-row = Row
file-value = Value in file
file-wrong = What is wrong
file-remedy = What to do
file-same-phone = { $n ->
    [one] { $value } row has the phone number of a row further up, with another customer number. A campaign sends to each number once.
   *[other] { $value } rows have the phone number of a row further up, with another customer number. A campaign sends to each number once.
}
file-same-phone-rows = Rows: { $value }
file-sends-nothing = This sends nothing. You can send a message to these people afterwards.
file-gone = This file is no longer kept: the last three files are, each for an hour. Please choose it again.
file-under-way = This file is being imported already. It appears in this list in a moment.
errors-first = These are the first 100. The Excel file has all of them.
import-campaigns = Campaigns for these people:
import-sent-nothing = Nothing was sent out of this import.
import-send = Send them a message
import-send-unchanged = { $n ->
    [one] { $value } person whose row is unchanged is not among them: add the earlier import in the campaign for that one.
   *[other] { $value } people whose rows are unchanged are not among them: add the earlier import in the campaign for these.
}
erased-of-them = { $value } of them erased
erase-waits = These messages have not been sent yet and will be skipped:
erase-waits-first = { $n ->
    [one] { $what }: { $value } message
   *[other] { $what }: { $value } messages
}
erase-waits-reminder = { $n ->
    [one] { $what }: { $value } reminder
   *[other] { $what }: { $value } reminders
}
erase-waits-more = More may be waiting: there are too many to look through here.
erase-waits-end = A campaign in which nothing else waits ends with that. None of this can be undone.
erase-waits-none = No message to them is waiting now, and none will be sent. This cannot be undone.
file-first = The first people, as they are stored
file-import = { $n ->
    [one] Import { $value } person
   *[other] Import { $value } people
}
file-import-send = { $n ->
    [one] Import { $value } person and send
   *[other] Import { $value } people and send
}
audit-import-look = File uploaded
audit-import-view = Uploaded file viewed
imports-none = Nothing was imported yet.
import = Import
imported-by = Imported by
status = Status
received = Rows in the file
rejected = Rejected
stored = Stored
created = Created
updated = Updated
unchanged = Unchanged
superseded = Replaced by a later import
failed = Failed
cancelled = Cancelled
eta = { $value } s left
rejected-records = Rejected rows
member = Column
do-cancel = Stop now (send nothing more)
do-retry = Try again
back-out = No, go back
import-cancel = Cancel import
import-retry = Try again
import-erase = Erase the people it created
import-erasing = Those whom this import created are being erased:
sure-import-erase = { $n ->
    [one] The recipient whom this import created is erased for good, unless a later import changed the record. Answers stay with what was written in them, without the person and their columns: afterwards nothing leads from the person to their answers. Read these first, and delete those that name the person.
   *[other] The { $value } recipients whom this import created are erased for good, except those whom a later import changed. Answers stay with what was written in them, without the person and their columns: afterwards nothing leads from a person to their answers. Read these first, and delete those that name somebody.
}
erased = Erased
do-start = Start
campaign-review = Review and start
do-pause = Pause
do-resume = Resume
do-finish = Finish (send what waits)
do-publish = Publish
do-delete = Delete
do-link = Link and QR code
do-rotate = Replace secret
do-revoke = Revoke
sure-cancel = What was not sent is never sent, and the campaign cannot go on.
sure-finish = No more imports are taken. What waits is still sent, and the campaign cannot go on afterwards.
sure-start = Messages are sent to real phones from now on. This cannot be taken back.
sure-start-real = The messages reach real phones, and cannot be taken back.
start-unlisted = { $n ->
    [one] { $value } person has a store or group that the form does not list, so no report counts the answer for it: the page tells which, and how to add it.
   *[other] { $value } people have a store or group that the form does not list, so no report counts their answers for it: the page tells which, and how to add them.
}
start-now = { $n ->
    [one] Starts at once: { $value } message to { $value } person.
   *[other] Starts at once: { $value } messages to { $value } people.
}
start-later = { $n ->
    [one] { $value } message to { $value } person, on { $what }.
   *[other] { $value } messages to { $value } people, the first on { $what }.
}
start-import = Starting sends nothing yet: whoever you import into this campaign afterwards gets the message.
start-reminder = Whoever does not answer gets a reminder as well.
resume-n = { $n ->
    [0] No message is waiting just now.
    [one] { $value } message that waits is sent, within its hours.
   *[other] { $value } messages that wait are sent, within their hours.
}
resume-reminder-n = { $n ->
    [one] { $value } reminder that waits is sent, within its hours.
   *[other] { $value } reminders that wait are sent, within their hours.
}
resume-import = Whoever you import into this campaign gets the message.
sure-import-cancel = What is not saved yet is left out. What was saved stays.
sure-import-send = They get the message of { $value } on real phones. This cannot be taken back.
sure-import-send-simulated = They get the message of { $value }. Simulated: its sender reaches no phones.
sure-withdraw = Nobody can open the page by this link any more. You can share it again by a new one.
sure-block = No campaign sends to this number any more, whoever has it, until you unblock it.
sure-unblock = Messages go to this number again. Unblock it only if the person asked for that.
sure-delete = Its links close for good, also those in messages that were sent, and its campaigns send nothing more. What was answered stays in reports.
sure-rotate = The present secret works for another day.
sure-revoke = Programs that use this key are refused from now on, for good.
sure-remove = { $value } is signed out and cannot come back.

recipients-of-import = People whose latest data came with this import:
recipients-none = There are no recipients yet. They come with imports.
recipients-column = Search
recipients-docid = Customer number begins with
recipients-value = What is searched for
recipients-whole = Matches the whole value, in capitals or small letters.
recipients-undelivered = Undelivered messages
recipients-not-found = Nobody was found.
recipients-not-yet = Nobody was found so far.
recipients-no-more = Nobody else was found.
recipients-looked-to = Looked through everybody up to customer number { $value }. There are more.
recipients-go-on = Search further
recipient-link = Their link
recipient-link-note = Opening it counts as a view, and an answer counts as theirs.
recipient-test-note = A test with the columns of this person. It went to another number.
recipient-none = There is no recipient “{ $value }”.
phone = Phone
docid = Customer number
phone-unknown = Number not shown: it belongs to nobody imported
changed = Changed
created-at = Created
started-at = Started
finished-at = Finished
messages = Messages
messages-n = { $n ->
    [one] { $value } message
   *[other] { $value } messages
}
messages-none = No messages.
messages-go-on = None among the newest. The next page looks further back.
erase = Erase
person-export = Download all data of this person
erase-text = Phone and columns are gone for good, and nothing more is sent. Answers stay with what was written in them, without the person and their columns: afterwards nothing leads from the person to their answers. Read these first, and delete those that name the person. A later file that has the person adds them again.
erase-now = Erase for good
erase-phone = Erase everybody with this number
erase-phone-text = Phone and columns of everybody who has this number are gone for good, also of those not listed here, and nothing more is sent. Answers stay with what was written in them, without the person and their columns: afterwards nothing leads from a person to their answers. Read these first, and delete those that name somebody. If a later file has them, they are added again.
kind-first = First message
kind-reminder = Reminder
kind-test = Test

campaign = Campaign
campaigns-none = No campaign yet.
campaign-new = New campaign
campaign-edit = Edit
campaign-message = Message
campaign-text = Thank you for your visit! How was it? { "{" }link{ "}" }
campaign-waits = Nothing is sent yet: it goes to whoever is imported for it.
waiting-note = Messages that turn out to be too long, or whose column is empty, are left out when their turn comes. The preview counts them.
campaign-save-first = Save first: this sends what is stored.
campaign-text-note = Must contain { "{" }link{ "}" } once. Insert a column such as { "{" }{ $value }|there{ "}" }: the text after the bar stands where the column is empty.
campaign-text-example = name
campaign-insert = Insert:
campaign-special-note = An SMS has 160 characters; with a special character such as ë or an emoji it has 70.
campaign-audience = Who gets it
audience-import = People imported later, straight into this campaign
audience-keep = As saved
audience-also = Add the people of other imports
campaign-fields = Columns to keep with each answer
campaign-bus-props = Group answers by column
campaign-columns = Columns: groups and what is kept with answers
campaign-group-column = Column
campaign-group-name = Called in reports (empty: as the column)
campaign-column-other = Other columns, which a later file will have (separated by commas)
campaign-hours = Hours and days
campaign-nothing-set = nothing set
campaign-window = Send between (empty: at any time)
window-from = From
window-to = To
campaign-gap = Skip anyone contacted in the last … days
campaign-parts = Longest message: … SMS parts
campaign-reminder = Reminder to those who have not answered
campaign-reminder-days = After … days
campaign-started-note = What you change holds for everything that is not sent yet. Form and people stay as they are.
campaign-form-deleted = The form was deleted: what waits is not sent.
campaign-nothing-waits = No message waits now: a new text only holds for people whom you import later, and a new reminder only for those not sent yet.
campaign-starts-at = Start at (empty: at once)
campaign-delay = Minutes to wait after the import
campaign-more = More settings
campaign-most = Maximum number of messages (empty: no limit)
campaign-sample = Ask only a share of people, in percent (empty: everybody)
campaign-per-day = Maximum number of messages a day for each store or group
campaign-quota-name = Group of answers
campaign-quota-most = Messages a day
campaign-quota-none = To set this, first choose a column to group answers by, and save.
campaign-budget = Budget of the campaign (empty: no limit)
campaign-within = Hours after which a message is not sent any more
campaign-expiry = Days for which a link works
day-mon = Mon
day-tue = Tue
day-wed = Wed
day-thu = Thu
day-fri = Fri
day-sat = Sat
day-sun = Sun
window-any = at any time
window-daily = every day
window-zone = in each person’s time zone
setting-audience = Who gets it
setting-window = Sent
setting-starts-at = Start
setting-delay = Wait after the import
setting-within = Not sent any more after
setting-gap = Skipped if contacted in the last
setting-parts = Longest message
sms-n = { $value } SMS
setting-most = At most
setting-sample = Share of people asked
setting-per-day = At most a day
setting-budget = Budget
setting-expiry = Links work for
setting-fields = Columns kept with each answer
setting-bus-props = Answers grouped by column
setting-reminder = Reminder
audience-all = Everybody
audience-from = From { $value }
audience-to = To { $value }
audience-batches = { $n ->
    [one] People of an import
   *[other] People of { $value } imports
}
reminder-after = { $n ->
    [one] After { $value } day:
   *[other] After { $value } days:
}
minutes-n = { $n ->
    [one] { $value } minute
   *[other] { $value } minutes
}
hours-n = { $n ->
    [one] { $value } hour
   *[other] { $value } hours
}
days-n = { $n ->
    [one] { $value } day
   *[other] { $value } days
}
cost = Cost
usage = Usage
usage-month = Month
usage-months = By month
usage-messages = Messages
usage-parts = SMS parts
usage-country = Country
usage-senders = By sender, { $value }
usage-countries = By country, { $value }
usage-none = Nothing was sent yet.
usage-note = A message counts on the day on which it was sent, at the price of that day; what the provider refused costs nothing. A long text takes several SMS parts.
usage-no-price = No price of an SMS is set, so there are no costs and no budget. Whoever runs the service can set it.
month-budget = Budget for a month
month-budget-none = There is no budget: everything is sent.
month-budget-note = What all messages of a month may cost. Messages beyond it wait until the next month, or until you raise it. Empty: no limit.
budget-amount = Amount
budget-currency = Currency
budget-of-month = { $value }% of this month’s SMS budget is spent ({ $what }).
budget-of-campaign = { $value }% of the campaign’s budget is spent ({ $what }).
wait-budget = { $n ->
    [one] { $value } waits because the campaign’s budget is used up.
   *[other] { $value } wait because the campaign’s budget is used up.
}
wait-month-budget = { $n ->
    [one] { $value } waits because the month’s budget is used up, until { $what } or until you raise it.
   *[other] { $value } wait because the month’s budget is used up, until { $what } or until you raise it.
}
wait-send-window = { $n ->
    [one] { $value } waits until { $what } in their time zone.
   *[other] { $value } wait until { $what } in their time zone.
}
wait-first = The first is sent on { $value }.
wait-delay = { $n ->
    [one] { $value } waits for its time after the import, until { $what }.
   *[other] { $value } wait for their time after the import, the first until { $what }.
}
wait-starts-at = { $n ->
    [one] { $value } waits for the start, { $what }.
   *[other] { $value } wait for the start, { $what }.
}
wait-rate = { $n ->
    [one] { $value } is next: the sender takes only a limited number a second, or a day.
   *[other] { $value } are next: the sender takes only a limited number a second, or a day.
}
wait-sender-paused = { $n ->
    [one] { $value } waits because the sender “{ $what }” takes nothing just now.
   *[other] { $value } wait because the sender “{ $what }” takes nothing just now.
}
wait-paused = { $n ->
    [one] { $value } message waits because the campaign is paused.
   *[other] { $value } messages wait because the campaign is paused.
}
wait-paused-reminder = { $n ->
    [one] { $value } reminder waits because the campaign is paused.
   *[other] { $value } reminders wait because the campaign is paused.
}
wait-reminder = { $n ->
    [one] { $value } reminder waits and is sent on { $what }. Whoever answers before gets none.
   *[other] { $value } reminders wait, the first is sent on { $what }. Whoever answers before gets none.
}
unknown-bus-props = The form does not list these, so reports cannot compare them:
unknown-similar = These are probably mistyped: their people get the message, but their answers count for no group. Correct the file and import it again (then choose that import in the campaign too), or add them in the form itself:
unknown-add = Add them to the form
field-missing = { $n ->
    [one] { $value } person has no “{ $what }”.
   *[other] { $value } people have no “{ $what }”.
}
field-similar = Did you mean “{ $value }”?
column-strange = Nobody has the column “{ $value }” yet.
form-field-nobody = The form inserts “{ $value }”, but none of these people have this column.
form-field-not-kept = The form inserts “{ $value }”, but the campaign does not keep this column: tick it under “Columns to keep with each answer”.
ungrouped = No answer will count for a store or group: choose the column “{ $value }” under “Columns”. Once the campaign is started this cannot be changed.
ungrouped-form = The form lists no stores yet: once the column is saved, this page can add its values to the form.
special-character = The character “{ $value }” shortens an SMS from 160 to 70 characters.
test-sent = Your test:
test-status-scheduled = Waiting to be sent
test-status-sending = Being handed to your SMS provider
test-status-accepted = Handed to your SMS provider, not confirmed yet
test-status-undelivered = Not delivered
test-status-failed = Not sent: your SMS provider refused it
test-link-note = This is what your recipients get. Answers through the link of a test are stored nowhere.
failures = Why messages did not arrive
failure-reason = Reason
failure-no-code = Your SMS provider gave no reason.
failures-most = These are the most frequent reasons.
failures-partial = Only some of the newest messages are counted here. The lists behind the numbers have all.
failures-sealed = The messages of this campaign are deleted, and with them why they did not arrive.
country-unknown = unknown
provider-code-simulated = (simulated)
provider-code-other = Your SMS provider’s code { $value }: ask your SMS provider.
provider-code-off = The phone is off or out of reach.
provider-code-no-number = There is no such number.
provider-code-no-mobile = The number takes no SMS, as a landline does.
provider-code-no-route = No network took it.
provider-code-not-taken = The network did not take it.
provider-code-blocked = The network or the person blocks such messages.
provider-code-opted-out = The person opted out at your SMS provider.
provider-code-country = Your SMS provider does not send to this country for you.
provider-code-spam = It was filtered as unwanted advertising.
provider-code-too-long = The text is too long.
provider-code-from = This country takes no sender’s name, only a number.
provider-code-sender-name = Your SMS provider does not take this sender’s name: ask it to approve it.
provider-code-uncertain = Your SMS provider’s answer was lost: nobody knows whether it arrived.
test-docid = Customer number (optional: fills in this person’s columns)
campaign-test = Send a test
save = Save and preview
copy = Copy
copy-of = Copy of { $value }
preview = Preview
preview-import = Everyone in a file you import into this campaign gets this message.
preview-each = About { $value } SMS each.
preview-example = Example with your newest people:
preview-started = Already started: your change holds for messages not yet sent.
preview-waiting = { $n ->
    [0] No message with this text waits to be sent now. Below is only how it would read.
    [one] { $value } message waits to be sent.
   *[other] { $value } messages wait to be sent.
}
preview-most = At most { $value } of them are sent to.
preview-import-nobody = Columns are filled in once you have people.
preview-eligible = { $n ->
    [one] { $value } message
   *[other] { $value } messages
}
people-most = { $n ->
    [0] nobody
    [one] up to { $value } person
   *[other] up to { $value } people
}
preview-of = { $n ->
    [one] to { $value } recipient
   *[other] to { $value } recipients
}
preview-parts = { $value } SMS (billed)
encoding-gsm7 = standard characters
encoding-ucs2 = special characters
preview-chars = { $n ->
    [one] { $value } character
   *[other] { $value } characters
}
preview-lately = { $value } of these people got a message of another campaign in the last 7 days.
preview-over-budget = This costs more than the budget of the campaign ({ $value }). What is beyond it waits until you raise the budget.
preview-over-month = This costs more than what is left of this month’s budget ({ $value }). What is beyond it waits until the next month, or until you raise the budget.
preview-partial = Only the first of a large audience are counted here. Saving counts all.
preview-nobody = Nobody would get it today. Columns are filled in once somebody does.
preview-wrong = Please correct:
not-saved = Not saved yet. Please correct:
outdated = Somebody else changed this while you were editing. What you typed is all here, but it is not saved yet. Look at the newer version; if you then save, yours replaces it.
outdated-see = See the newer version in a new tab
reminders = Reminders
about = Settings
text = Text
form-report = To its report
resend-unknown = { $n ->
    [one] Send up to { $value } unknown message again
   *[other] Send up to { $value } unknown messages again
}
resend-failed = { $n ->
    [one] Send up to { $value } failed message again
   *[other] Send up to { $value } failed messages again
}
resend-undelivered = { $n ->
    [one] Send up to { $value } undelivered message again
   *[other] Send up to { $value } undelivered messages again
}
resend-expired = { $n ->
    [one] Send up to { $value } expired message again
   *[other] Send up to { $value } expired messages again
}
sure-resend-unknown = Whoever got the first message all the same gets a second one. Ask the provider first, if you can: it knows which it took. Whoever has answered, is blocked or was erased gets none.
sure-resend-failed = The provider refused them. Look at the reasons first: what was wrong with a number still is. Whoever has answered, is blocked or was erased gets none.
sure-resend-undelivered = They did not arrive, and each new attempt costs again. Numbers that do not exist any more will fail again. Whoever has answered, is blocked or was erased gets none.
sure-resend-expired = The phones were off or out of reach for too long. Each new attempt costs again. Whoever has answered, is blocked or was erased gets none.
do-resend = Send again
sender = Sender
sender-next = If it fails for a minute, then
sender-third = If that one fails too, then
sender-nobody = Nobody: the messages wait
sender-countries = Other senders by country
sender-countries-note = Countries that do not stand here have the sender above.
sender-country = Country
sender-others-nobody = Nobody: other countries get no message
sender-then = then
sender-others = all other countries
senders-none = Nobody carries messages: whoever runs this service has to connect an SMS provider.
sender-test-none = To send yourself a test through this sender, make a campaign that begins with it.
status-ok = Takes messages
status-error = In trouble
status-unattended = Unattended
sender-ok = Everything is in order.
sender-simulated = Simulated: nothing leaves this service.
sender-paused = The provider has asked to wait since { $value }. It is tried again by itself; if that goes on, ask the provider how many messages a second it takes.
sender-paused-by-hand = Paused by a person since { $value }. Its messages wait until somebody lets it go on.
sender-paused-other = Whoever runs this service lets it go on.
sender-unattended = No worker has had it since { $value }, so nothing is sent. Whoever runs this service has to look why: messages wait and are not lost.
sender-never-attended = No worker has it, so nothing is sent. Whoever runs this service has to start one with this sender: messages wait and are not lost.
sender-not-configured = The service’s settings do not have this sender any more, but messages wait for it. Whoever runs this service has to put it back; or end the campaigns that use it.
sender-wrong-password = The provider refuses user or password ({ $value }). Whoever runs this service has to correct them: messages wait, and go out by themselves after that.
sender-unreachable = The provider cannot be reached ({ $value }). It is tried again every few seconds: messages wait, and go out by themselves once it is back.
sender-unsure = The provider does not say clearly whether it takes messages ({ $value }). It gets one at a time after pauses of up to ten minutes; each may be one of which nobody knows whether it was sent.
sender-refuses = The provider takes no messages from this sender ({ $value }). Ask the provider what the code means: credit, sender name or approval. Messages wait until one succeeds.
sender-since = So since { $value }.
sender-goes-through = Meanwhile its messages go through { $value }.
sender-refused = Most of the last messages were refused. { $value } Pause the campaigns, have it mended and send yourself a test; the page of a campaign can then send the failed messages again.
sender-refused-messages = Show the failed messages
sender-unreported = No delivery report has come since { $value }, although messages were taken. Whether they arrived is not known, and people get no reminder. Whoever runs this service has to ask the provider whether it has the address for delivery reports.
sender-unknown = { $n ->
    [one] Of { $value } message nobody knows whether it was sent. It is not sent again by itself, so that nobody gets it twice. A campaign’s page can have them sent again.
   *[other] Of { $value } messages nobody knows whether they were sent. They are not sent again by themselves, so that nobody gets one twice. A campaign’s page can have them sent again.
}
sender-unmatched = { $n ->
    [one] { $value } report of the last hour fits no message. If this goes on, the provider reports to the wrong place, or writes its numbers in another form.
   *[other] { $value } reports of the last hour fit no message. If this goes on, the provider reports to the wrong place, or writes its numbers in another form.
}
sender-kind = Provider
sender-waiting = Waiting
sender-oldest = The first of them was due
sender-accepted = Last message taken
sender-rate = SMS a second
sender-do-pause = Pause
sender-do-resume = Let it go on
sender-do-retry = Try again now
hook-status = Address for delivery reports
hook-inbound = Address for replies
alert-error = No messages go out through { $value }.
alert-throttled = The provider of { $value } asks to wait, and takes nothing.
alert-unattended = Nobody carries messages of { $value }: they wait.
alert-unreported = No delivery reports come in for { $value }.
alert-refused = The provider refuses messages of { $value }.
alert-unknown = { $n ->
    [one] Of { $value } message nobody knows whether it was sent.
   *[other] Of { $value } messages nobody knows whether they were sent.
}
alert-keys = { $n ->
    [one] { $value } API key expires within 14 days.
   *[other] { $value } API keys expire within 14 days.
}
audit-sender-pause = Sender paused
audit-sender-resume = Sender goes on
done-sender-resume = It is tried again now. How it is stands below in a few seconds.

status-draft = Draft
status-published = Published
status-deleted = Deleted
status-running = Running
status-paused = Paused
status-finished = Finished
status-cancelled = Cancelled
status-queued = Queued
status-processing = Processing
status-completed = Completed
status-stalled = Stalled
status-skipped = Skipped
status-scheduled = Waiting
status-sending = Sending
status-accepted = Sent
status-delivered = Delivered
status-undelivered = Undelivered
status-expired = Expired
status-failed = Failed
status-unknown = Unknown
skip-opted-out = Opted out or blocked
skip-erased = Erased
skip-contact-gap = Contacted lately
skip-already-answered = Answered already
skip-duplicate-phone = Phone comes twice
skip-country-not-allowed = Country not allowed
skip-too-long = Text too long
skip-template-field-missing = Column of the text is empty
skip-too-late = Too late
skip-form-deleted = Form deleted
skip-limit-reached = Limit of messages reached
skip-number-type = Kind of number not allowed
skip-not-sampled = Not in the sample
skip-quota = Enough asked on that day

forms-none-published = No published forms. A new one begins as a draft, and asks once it is published.
forms-none-draft = No drafts.
forms-none-deleted = No deleted forms.
form-new = New form
form-title = Title
form-bus-props = Stores or groups to compare (one per line)
form-bus-props-note = Paste the names of your stores as they stand in your file. Another kind of group begins with its own name, such as “region:North”. Or leave it empty: the campaign adds them from your file. In the campaign, choose the column to group answers by and press “Add them to the form”.
form-type = Type
form-label = Question
form-place = Question { $value }
form-required = Required
number-scale = Highest value
form-add = Add a question
move-up = Up
move-down = Down
form-save = Save
form-preview = Preview
form-show-if = Show only if
form-labels = Translations
form-piping = Insert personal data such as { "{" }store_name|your store{ "}" }
form-options = Choices
form-note = Empty questions are not saved.
form-removed = Removed questions ({ $value })
form-restore = Restore
form-nps = Would you recommend us to a friend?
form-comment = What should we know?
form-begin = What do you want to ask about? You can change everything afterwards.
form-intro = Text before the first question
form-thanks = Text after the last question
form-language = Language of the questions
form-language-unsaid = Not chosen
form-language-note = Choose it, so that buttons and scales are in the same language as the questions.
form-add-language = Translate into
form-add-language-do = Add language
form-missing = { $n ->
    [0] all texts are there
    [one] { $value } text missing
   *[other] { $value } texts missing
}
form-missing-one = missing
form-unsaid = Not saved, because it has no texts yet: { $value }
form-publish-missing = Where a text is missing, readers see it in the language of the questions.
form-next = What comes next
form-next-text = Nobody has opened this form on these days. Put up a QR code in your stores, or send your customers the link in a campaign.
form-option = Choice { $value }
form-option-text = with a text field (“Other: …”)
form-options-note = Paste a list to add one choice per line. A choice that is cleared is removed.
form-add-option = Add a choice
form-show-always = Always shown
form-show-answers = was answered with
form-condition-lost = (a question that does not come before this one)
form-links = Links at the end, such as privacy and imprint
form-link-label = Name of the link
form-link-url = Address
template-blank = Empty form
template-blank-note = Recommendation and comment, to be changed as you like.
template-visit = After a visit
template-visit-note = Smileys, recommendation, what could be better, friendliness, comment.
template-visit-title = How was your visit?
template-visit-mood = How satisfied were you with your visit?
template-visit-better = What should we do better?
template-visit-better-choices = Waiting time | Advice | Selection | Prices | Cleanliness | Something else
template-visit-staff = How friendly were our staff?
template-delivery = After a delivery
template-delivery-note = Smileys, what went wrong, recommendation, comment.
template-delivery-title = How was your delivery?
template-delivery-mood = How satisfied are you with the delivery?
template-delivery-wrong = What went wrong?
template-delivery-wrong-choices = Too late | Not complete | Damaged | Wrong goods | The courier | Something else
template-stay = After a stay
template-stay-note = Recommendation, what could be better, cleanliness, breakfast, staff, comment.
template-stay-title = How was your stay?
template-stay-better = What should we do better?
template-stay-better-choices = Cleanliness | Bed | Noise | Breakfast | Wi-Fi | Price | Something else
template-stay-clean = How clean was your room?
template-stay-breakfast = How good was the breakfast?
template-stay-staff = How friendly were our staff?
template-service = After a service call
template-service-note = Whether it is solved, what is still open, smileys, recommendation, comment.
template-service-title = How was our service?
template-service-solved = Is your problem solved?
template-service-solved-choices = Yes | Partly | No
template-service-open = What is still open?
template-service-mood = How satisfied were you with our technician?
template-one = One question
template-one-note = The recommendation alone: answered in ten seconds.
template-one-title = Would you recommend us?
template-recommend = How likely are you to recommend us to friends?
template-more = Is there anything else that we should know?
template-intro = It takes less than a minute. Thank you for helping us to get better.
template-thanks = Your answers have arrived. They help us to get better.
type-nps = Recommendation, 0–10
type-happiness = Smileys
type-rating = Scale
type-choice = Single choice
type-choices = Multiple choice
type-text = Short text
type-comment = Comment
type-taken-comment = a form can have one comment question; use Short text here
type-taken-nps = a form can have one question of this type
type-taken-happiness = a form can have one question of this type; use Scale here
people-add = Add a team member
people-name-wrong = A name has 1 to 100 visible characters and does not begin with fk_ as keys do.
people-name-taken = Somebody has this name already.
people-last-admin = An account keeps at least one admin.
name = Name
password = Password
password-rule = At least 10 characters
password-current = Current password
new-password = New password
password-change = Change your password
password-wrong = The current password is wrong.
password-too-short = A password has at least 10 characters.
password-common = This password is one of those that are tried first. Please choose a rarer one, such as several words.
password-name = A password has to be more than the names of its person and company.
password-same = The new password is the current one. Please choose another.
password-must = Somebody else set your password. Please choose one that only you know; then you can go on.
password-of-other = They choose another one when they next sign in.
password-note = All your sessions end, and you sign in again.
own-account = Your sign-in
sessions = Where you are signed in
session-since = signed in { $value }
session-own = this browser
session-unknown = Unknown browser
session-end = Sign out there
sessions-end = Sign out everywhere else
sessions-note = If you do not know one of them, sign out there and change your password.
second-factor = Second factor
second-factor-off = You sign in with your password alone. With a second factor, signing in also asks for a code from an app on your phone.
second-factor-on = Signing in also asks for a code from the app on your phone.
second-factor-set-up = Set up a second factor
second-factor-see = Recovery codes, turning it off
second-factor-demanded = Your company asks everybody for a second factor. Please set yours up; then you can go on.
second-factor-unavailable = A second factor needs the setting FEEDBACK_PEPPER, which whoever runs this service makes.
second-factor-app = Install an authenticator app on your phone, such as Google Authenticator or Microsoft Authenticator, and scan this code with it.
second-factor-key = If you cannot scan it, type this key into the app:
second-factor-qr = The key as a QR code
second-factor-confirm = Then type the six digits that the app shows
second-factor-wrong = This code is wrong or was used already. Please type the newest one.
second-factor-turn-on = Turn on
second-factor-turn-off = Turn off
second-factor-take = Remove second factor
sure-second-factor = { $value } then signs in with the password alone, until they set up a new second factor. Are you sure that it is they who ask for it?
second-step = Confirm that it is you
second-step-code = Code from your app
second-step-note = Without your phone, type one of your recovery codes.
recovery-codes = Your recovery codes
recovery-codes-note = They are shown only now. Without your phone, each of them works once instead of a code from the app. Keep them where only you find them.
recovery-codes-kept = I have kept them
recovery-codes-left = { $n ->
    [one] { $value } recovery code is left.
   *[other] { $value } recovery codes are left.
}
factor-is-free = Everybody decides for themselves whether they use a second factor.
factor-is-demanded = Everybody needs a second factor. Whoever has none sets it up before anything else.
factor-demand-on = Ask everybody for a second factor
factor-demand-off = Leave it to each person
role = Role
role-viewer = Viewer
role-editor = Editor
role-admin = Admin
roles-note = Viewers can see reports. Editors also make forms, campaigns and imports. Admins also manage people and keys.
set-role = Change role
set = Save
remove = Remove
keys-none = There are no keys yet.
key-made = The secret is shown only now
key-add = Create key
scopes = Scopes
scope-import = Import recipients and look them up
scope-report = Read reports and answers
scope-form = Change forms and delete answers
scope-link = Make links
scope-send = Run campaigns and send
scope-audit = Read the audit log
scope-retention = Set how long data is kept
last-sign-in = last signed in { $value }
no-sign-in = has not signed in, as far as the log goes back
key-made-at = made { $value }
last-used = last used { $value }
never-used = never used
revoked-at = revoked { $value }
key-name-note = Optional: what uses the key, such as the till in Berlin
key-name-wrong = A name has 1 to 80 visible characters.
key-scopes-wrong = Choose at least one scope.
key-last-day = Last day
key-last-day-note = Optional: the key is refused after this day. You are reminded 14 days before.
key-last-day-wrong = The last day is today or later.
key-networks = Only from
key-networks-note = Optional: addresses or networks from which the key may be used, with commas between. From elsewhere it is refused.
key-networks-wrong = These are no addresses or networks, such as 203.0.113.7 or 203.0.113.0/24.
key-networks-of = only from { $value }
key-ends = expires { $value }
key-ended = expired { $value }
key-ends-soon = Whatever uses this key is refused after that. Create a new one in time, and revoke this one once nothing uses it.
erased-person = somebody who was erased
access = Who had access
access-on = Who had access on { $value }
access-note = Everybody who could open something of your account at any moment of that day.
access-day = Day
access-since = Since
access-until = Until
access-by = by { $value }
access-before-log = before the log begins
access-page = Page
access-none = None.
access-more-shares = More pages were shared than this page has room for. The audit log has them all.
access-incomplete = The log begins later than this day. Whoever was gone by then, or had another role, is not shown.
access-unknown = What this page cannot know
access-unknown-log = Who was let in or removed before the log begins.
access-unknown-outcome = Where the log does not know what a change came to, it counts as done if it let somebody in, and as not done if it removed somebody.
access-unknown-servers = Who has the servers, the database or a backup. Your operator knows.
access-unknown-secrets = To whom somebody gave a password, the secret of a key or the link of a shared page.
audit-none = Nothing of this kind is in the log.
audit-since = The log goes back to { $value }.
audit-zone = Times are in the time zone { $value }.
audit-note = What people and API keys changed here, who signed in or was refused, every export, and whose phone number was shown in full; also on the command line.
audit-command-line = Command line
audit-by-key = API key { $value }
audit-download = Download (NDJSON)
audit-audit-export = Audit log exported
audit-answers-export = Answers exported
audit-answers-read = Answers read
audit-recipients-read = List of recipients read
audit-messages-read = List of messages read
audit-recipients-export = Recipients exported
audit-messages-export = Messages exported
audit-usage-export = Usage exported
audit-stores-export = Comparison of stores exported
audit-import-export = Errors of an import exported
audit-campaign-delete = Campaign deleted
audit-campaign-resend = Messages sent again
audit-feedback-erase = Answer erased
audit-setting-replace = Settings for messages saved
audit-person-link = Link to choose a password created
audit-branding-set = Branding saved
audit-campaign-create = Campaign created
audit-campaign-replace = Campaign saved
audit-campaign-test = Test message requested
audit-campaign-start = Campaign started
audit-campaign-pause = Campaign paused
audit-campaign-resume = Campaign resumed
audit-campaign-finish = Campaign takes no more imports
audit-campaign-cancel = Campaign stopped for good
audit-form-create = Form created
audit-form-replace = Form saved
audit-form-publish = Form published
audit-form-delete = Form deleted
audit-form-try = Form tried
audit-form-sheet = Links for a sheet created
audit-link-delete = Link deleted
audit-form-link = Link created
audit-import-upload = File imported
audit-import-cancel = Import cancelled
audit-import-retry = Import tried again
audit-import-erase = Erasing of an import’s recipients begun
audit-key-create = API key created
audit-key-rotate = Secret of an API key replaced
audit-key-revoke = API key revoked
audit-password-change = Password changed
audit-person-add = Person added
audit-person-role = Role changed
audit-person-password = Password of a person set
audit-person-remove = Person removed
audit-session-end = Session ended
audit-session-end-others = All other sessions ended
audit-second-factor-set = Second factor set up
audit-second-factor-remove = Second factor turned off
audit-person-second-factor = Second factor of a person removed
audit-account-factor-on = Second factor asked of everybody
audit-account-factor-off = Second factor left to each person
audit-recipient-export = All data of a recipient exported
audit-recipient-erase = Recipient erased
audit-account-name = Company name changed
audit-account-time-zone = Time zone changed
audit-account-retention = Retention of data set
audit-share-create = Page shared
audit-share-withdraw = Share withdrawn
audit-suppression-add = Number blocked
audit-suppression-remove = Number unblocked
audit-sign-in-password = Sign-in with a password
audit-sign-in-code = Sign-in with a code
audit-sign-in-link = Sign-in with a link
audit-sign-in-provider = Sign-in through the company’s provider
audit-session-sign-out = Signed out
audit-recipient-view = Phone number seen
audit-recipient-read = Recipient seen without the phone number
audit-refusals = { $n ->
    [one] first attempt within an hour
   *[other] { $value } attempts within an hour
}
audit-wrong = refused: wrong password or code
audit-kind-sign-in = Sign-ins
audit-kind-person = People
audit-kind-key = API keys
audit-kind-setting = Settings
audit-kind-form = Forms, links and shared pages
audit-kind-campaign = Campaigns and imports
audit-kind-recipient = Recipients and answers
audit-kind-export = Exports and lists read
audit-about = History
audit-all = Show everything
audit-stored = This recipient is stored:
audit-gone = Nobody with this customer number is stored. What was done to them while they were stays here.
audit-changes = { $n ->
    [one] { $value } change
   *[other] { $value } changes
}
audit-before = before
audit-after = after
audit-nothing = nothing
audit-more = { $n ->
    [one] One more change is not kept.
   *[other] { $value } more changes are not kept.
}
audit-yes = yes
audit-no = no
member-name = Name
member-text = Text
member-form-id = Form
member-sender = Sender
member-audience = Who gets it
member-audience-fields = with the columns
member-on-import = people imported into the campaign
member-batch-ids = imports
member-created-from = stored from
member-created-to = stored until
member-track-fields = Columns kept with each answer
member-bus-props-from = Answers grouped by column
member-link-expires-after-days = Days for which a link works
member-send-window = Hours for sending
member-from = from
member-to = to
member-days = days
member-send-within-hours = Hours after which a message is not sent any more
member-contact-gap-days = Days since the last message to the same person
member-max-parts = Most SMS parts of a message
member-max-messages = Most messages
member-sample = Share of people who are asked
member-per-day = Most messages a day
member-budget = Budget
member-month-budget = Budget for a month
member-amount = amount
member-currency = currency
member-starts-at = Start
member-delay-minutes = Minutes to wait after the import
member-reminder = Reminder
member-after-days = days until then
member-title = Title
member-intro = Text before the first question
member-thanks = Text after the last question
member-labels = in other languages
member-intro-labels = Text before the first question, in other languages
member-thanks-labels = Text after the last question, in other languages
member-language = Language
member-links = Links at the end
member-piping = Personal data inserted
member-bus-props = Stores or groups
member-fields = Questions
member-label = text
member-type = type
member-required = required
member-options = choices
member-options-text = with a text field
member-show-if = shown only if
member-key = question
member-in = answered with
member-logo = Logo
member-color = Colour
member-stop-words = Words that opt out
member-stop-reply = Reply to whoever opts out
member-help-reply = Reply to whoever asks for help
member-min-gap-days = Days between two messages to the same person
member-answers-days = Days to keep answers
member-visits-days = Days to keep visits
member-messages-days = Days to keep messages
member-audit-days = Days to keep the audit log
member-time-zone = Time zone
audit-erased-with = Whoever had it was erased together with the recipients of an import.
member-erased = Erased
audit-done = done
audit-refused = refused: not possible
audit-forbidden = refused: no permission
audit-failed = failed
audit-unknown = not known
when = When
who = Who
what = What
to-what = Object
from-where = IP address
came-to = Result

export = Export CSV
xlsx-export = Export to Excel
xlsx-about = About this file
xlsx-key = Name for programs
xlsx-meaning = Meaning
xlsx-made = Exported
xlsx-field = Came with the import or the link
xlsx-text-beside = What was written beside this choice
xlsx-low = NPS, lower bound
xlsx-high = NPS, upper bound
xlsx-yes = yes
links = Links and QR codes
links-none = This form has no links yet, except those in campaigns.
link-new = New link
link-create = Create link
link-code = QR code
link-unnamed = Without a name
link-group-note = Without one the answers through this link count for no store.
link-name-note = Only you see it, such as “Receipt” or “Poster at the door”.
link-kiosk = Many people answer on the same device or network, such as a tablet in a store
sure-delete-link = Whoever opens it sees that the form is closed. Answers that came through it stay.
sheet-of = A link for each { $value }
sheet-text = { $n ->
    [one] { $value } value. Its link counts answers for it; print its QR code and put it up there.
   *[other] { $value } values. Each link counts answers for one of them; print the QR codes and put each up where it belongs.
}
sheet-open = QR codes to print
sheet-missing = { $n ->
    [one] { $value } link is missing.
   *[other] { $value } links are missing.
}
sheet-make = Create the missing links
sheet-print = Print this page with your browser. The links stay the same, however often you open it.
sheet-print-now = Print
form-try = Try it
form-try-note = Answers through this link are stored nowhere.
form-try-scan = Open it here, or scan the code with your phone.
link-made = A link to the form
link-note = Whoever opens it sees the form. The code below leads to it too, and can be printed.
link-this-computer = This address opens on this computer only, not on phones. Ask whoever runs the service to set its public address before you print or send it.
link-this-network = This address opens in your own network only, not on the phones of customers. Ask whoever runs the service to set its public address before you print or send it.
link-qr = The link as a QR code
link-counts = Counts for { $value }
link-personal = It is for certain people: only editors see its address.
link-svg = Download as SVG
link-png = Download as PNG
suppressions = Do-not-contact list
recipient-blocked = This number gets no messages. Blocked since:
suppressions-none = Nobody has opted out, and no number was blocked by hand.
suppression-source = How
suppression-change = Block or unblock a number
suppression-add = Block number
suppression-remove = Unblock
gap = Not too often
gap-days = Days between two messages to the same person
gap-note = This holds for all your campaigns together: whoever got a message less than so many days ago gets none, and is counted as “Contacted lately”. 0 means no limit. Reminders and tests do not count. A campaign may ask for more days.
suppressed-inbound = Their text
suppressed-provider = Their provider
suppressed-page = The form's page
suppressed-api = Added by hand

branding = Branding
branding-note = For the pages behind your links: whoever opens one sees whose it is. Leave empty for the default.
branding-name = Your name, as your customers know it
branding-color = Colour
branding-language = Language of forms that do not name one
branding-default = Default
branding-logo = Logo (PNG, JPEG, WebP or SVG, at most 100 kB)
branding-no-logo = Remove the logo
branding-noscript = Choosing a logo needs JavaScript; the rest does without.
branding-large = The logo has more than 100 kB.
branding-preview-note = A new logo is shown here once it is saved.
branding-save = Save
language-en = English
language-de = German
language-fr = French

# Pages behind links.
public-trial = You are trying this form: what you answer here is stored nowhere.
public-required = (required)
public-error = Error:
public-check = Please check your answers
public-busy = Too many people are answering right now
public-busy-text = Your answers are not sent yet. Everything you entered is below: please wait a moment and send it again.
public-enough = Many answers have come from your network already
public-enough-text = Your answers are not sent yet; there is room again within an hour. Everything you entered is below: please send it again later.
public-unsaved = We could not save your answers just now
public-unsaved-text = Everything you entered is below: please wait a moment and send it again.
public-send = Send feedback
public-stop = No more messages
public-stop-sure = Do you want to get no more messages from this sender?
public-stop-yes = Yes, no more messages
public-stop-text = You will get no more messages from this sender. You can close this page now.
public-unstopped = Please reply STOP
public-unstopped-text = Your number has been deleted here, so this page cannot stop messages to it. Reply STOP to the message, and you will get no more.
public-thanks = Thank you
public-thanks-text = Your feedback has arrived. You can close this page now.
public-nothing = There is no form here
public-nothing-text = The link may be incomplete. Please check that you have all of it, or ask whoever sent it to you.
public-closed = This link takes no more answers
public-closed-text = If you have answered already: thank you, your answers arrived. If not, the form has closed.
public-late = This form is closed
public-late-text = It closed before your answers arrived, and they were not saved. They are below, in case you want to copy them.
public-answers = Your answers
public-kept = Your answers are not sent yet
public-kept-text = We could not take them just now. They are kept on this page: please wait a moment and send them again.
public-again = Send again
public-large = That is too much to send
public-large-text = Please go back, shorten your answers and send them again.
public-many = Please wait a moment
public-many-text = There are too many requests right now. Please try again in a few seconds.
public-unread = We could not read that
public-unread-text = Please open the link again and fill in the form there.
public-broken = Something went wrong on our side
public-broken-text = Please try again in a few minutes.
public-choose = Please choose an answer.
public-choose-grade = Please choose from { $value }.
public-choose-one = Please choose one of the answers shown.
public-choose-some = Please choose at least one answer.
public-other = Please specify
public-write = Please write an answer.
public-character = This holds a character that cannot be stored. Please type it again.
public-shorten = { $n ->
    [one] Please shorten this by { $value } character.
   *[other] Please shorten this by { $value } characters.
}
public-limit = At most { $value } characters.
public-left = Characters left: { $value }
public-over = Characters too many: { $value }
public-clear = Clear this answer
public-unanswered = Nothing is answered yet. Please answer at least one question.
public-changed = The form has changed since you opened it. Please check your answers and send them again.
public-nps-0 = not at all likely
public-nps-10 = extremely likely
public-lowest = lowest
public-highest = highest
public-happiness-1 = Very unhappy
public-happiness-2 = Unhappy
public-happiness-3 = Neutral
public-happiness-4 = Happy
public-happiness-5 = Very happy

# Why the API refused something, by its code, and where it says so by what was wrong; the API's own sentence is used where a
# code has no text here. `$high` is the last number of that sentence, `$low` the one before it.
refused-forbidden = Your role does not allow this, or the page is out of date. Open the page again, or ask an admin.
refused-role = Your role ({ $value }) cannot do this. Ask an admin.
refused-not-found = This page does not exist, or what it showed was deleted.
refused-invalid-form = The page was not sent as it is. Open it again and repeat what you did.
refused-link-gone = It was used already, has expired or was withdrawn. Ask whoever sent it to you for a new one.
refused-precondition-failed = It was changed in the meantime.
refused-unsupported-media-type = This kind of file is not taken here.
refused-form-transition = The form’s status does not allow this.
refused-form-not-published = The form is not published.
refused-campaign-transition = The campaign’s status does not allow this.
refused-public-url-local = Links would open on this computer only. Set the public address of the service first.
refused-missing = This is missing.
refused-wrong-type = This is not the right kind of value.
refused-blank = This is empty.
refused-too-long = This is too long: at most { $high }.
refused-too-many = These are too many: at most { $high }.
refused-malformed = This is not written as it should be ({ $value }).
refused-malformed-text = Must contain { "{" }link{ "}" } once, with spaces around it. Each { "{" } needs a { "}" }.
refused-malformed-bus-props = “{ $value }” lacks a name before or after the colon.
refused-malformed-color = Write a colour such as #2c4cc4.
refused-malformed-logo = Choose a picture: PNG, JPEG, WebP or SVG without scripts.
refused-malformed-phone = { refused-phone-invalid }
refused-too-long-logo = { branding-large }
refused-too-many-logo = The drawing repeats its parts until it has more than { $high }. Choose a simpler one.
refused-blank-label = Write the text here, or clear its translations too.
refused-blank-title = Give the form a title.
refused-missing-options = Add at least one choice.
refused-missing-language = Choose the language of the questions.
refused-missing-in = Choose at least one answer.
refused-malformed-url = It must begin with https://
refused-duplicate-type = A form has one question of this type.
refused-duplicate-text = One choice of a question can have a text field.
refused-control-character = This holds a character that cannot be saved.
refused-duplicate = This stands there twice.
refused-unknown-id = This does not exist any more.
refused-out-of-range = Enter a whole number from { $low } to { $high }.
refused-wrong-type-amount = Enter an amount such as 500 or 99.50.
refused-out-of-range-amount = Enter an amount such as 500 or 99.50.
refused-not-offered-budget = Not every sender of the campaign has a price in this currency, so nothing would say what is spent.
refused-not-offered-month-budget = Not all of your senders have a price in this currency, so nothing would say what is spent.
refused-unknown-key = No question before this one fits.
refused-not-an-object = This is no record.
refused-docid-missing = The customer number is missing.
refused-docid-invalid = The customer number is empty, too long or holds a character that cannot be saved.
refused-docid-duplicate = The same customer number stands further up in the file. That row counts.
refused-phone-missing = The phone number is missing.
refused-phone-invalid = Write the number with country code: +49151…
refused-phone-invalid-damaged = Excel shortened this number, as in 4.9E+11: its last digits are gone.
refused-phone-invalid-no-digit = This is not a phone number.
refused-phone-invalid-too-short = This number has too few digits.
refused-phone-invalid-too-long = This number has too many digits.
refused-phone-invalid-other = This is not a valid phone number.
refused-docid-invalid-damaged = { refused-phone-invalid-damaged }
refused-docid-invalid-no-digit = { refused-phone-invalid-no-digit }
refused-docid-invalid-too-short = { refused-phone-invalid-too-short }
refused-docid-invalid-too-long = { refused-phone-invalid-too-long }
remedy-not-an-object = Ask whoever made the file: each record must have names and values.
remedy-docid-missing = Enter the customer number, or choose another column as customer number.
remedy-docid-invalid = Enter a customer number of at most 128 characters.
remedy-docid-invalid-damaged = { remedy-phone-invalid-damaged }
remedy-docid-duplicate = Nothing, if it is the same person. Otherwise give each person a customer number of their own.
remedy-phone-missing = Enter the phone number, or leave the row out.
remedy-phone-invalid-damaged = Format the column as text in Excel, enter the numbers again and save.
remedy-phone-invalid-no-digit = Correct it in your file and import it again, or leave the row out.
remedy-phone-invalid-too-short = Compare the number with its source and enter the missing digits.
remedy-phone-invalid-too-long = Compare the number with its source. A cell can have one number only.
remedy-phone-invalid-other = Write the number with country code, as in +49151…, or choose the country of the numbers.
remedy-phone-invalid = { remedy-phone-invalid-other }
remedy-field-name-invalid = Give the column a name of at most 64 characters, or leave it out.
remedy-field-not-string = Put the value in quotes.
remedy-field-too-long = Shorten the text to 1,000 characters, or leave the column out.
remedy-field-invalid = Type the text again.
remedy-too-many-fields = Leave columns out.
remedy-duplicate-member = Rename one of the two columns, or leave it out.
remedy-row-width = Look for a missing or surplus separator or quotation mark in this row.
refused-field-name-invalid = The column’s name is empty, too long or holds a character that cannot be saved.
refused-field-not-string = This must be text.
refused-field-too-long = This text is too long.
refused-field-invalid = This text holds a character that cannot be saved.
refused-too-many-fields = The row has more than 64 columns.
refused-duplicate-member = Two columns have the same name.
refused-row-width = The row does not have as many columns as the first row.
