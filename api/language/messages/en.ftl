# English. `$value` is a text, `$n` a count that selects the plural. Other languages have `refused-…` besides: why the API
# refused something, by its code, where `$value` is its own sentence, which is English.

number-group = ,
number-decimal = .
percent = { $value }%
points = { $value } pts
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
nav-campaigns = Campaigns
nav-imports = Imports
nav-recipients = Recipients
recipient = Recipient
nav-forms = Forms
nav-people = People
nav-keys = API keys
nav-audit = Audit log
sign-in = Sign in
sign-in-wrong = This name and password do not fit. Please try again.
sign-in-link = You are about to sign in as { $value }. The link works once.
sign-out = Sign out
to-dashboard = To the dashboard
trouble-not-found = There is nothing here
trouble-forbidden = You may not do that
trouble-too-many = Too many tries
trouble-unavailable = We cannot answer just now
trouble-link-gone = This link does not work any more
trouble-other = That did not work

range = Days
range-today = Today
range-days = { $value } days
range-from = From
range-to = To
show = Show
apply = Apply
search = Search
all = All
next-page = Next page
as-table = As a table
day = Day

card-views = Views
card-responses = Responses
card-response-rate = Response rate
card-happiness = Happy
card-nps = NPS
card-of-views = { $n ->
    [one] of { $value } view
   *[other] of { $value } views
}
card-before = { $value } before
significant = significant
by-chance = may be chance
chart-days = Views and responses by day
chart-nps = Net Promoter Score
chart-nps-line = last 7 days
chart-nps-band = 95% interval
chart-nps-empty = Nobody has answered a question from 0 to 10 yet.
chart-dip = Lowest, and not by chance: { $value }, with
nps-week = NPS, last 7 days
funnel = From import to answer
funnel-note = Each step is counted on the day on which it happened. Viewed and answered count links without a message too, such as a QR code. The share is of the step above.
form = Form
forms-none = No form is published yet.
trend = Trend
new-heading = Welcome
new-text = Three steps lead to the first answer:
new-form = Make a form and publish it
new-import = Import recipients
new-campaign = Send them a campaign

step-imported = Imported
step-recipients = Recipients
step-scheduled = Scheduled
step-sent = Sent
step-delivered = Delivered
step-viewed = Viewed
step-answered = Answered

bus-prop = Business property
nps-parts = Promoters and detractors
nps-promoters = Promoters (9–10)
nps-passives = Passives (7–8)
nps-detractors = Detractors (0–6)
answers-n = { $n ->
    [one] { $value } answer
   *[other] { $value } answers
}
mean = mean { $value }
table-of = Compared: { $value }
table-note = Ranked from 30 answers on, because fewer say little. The band is the 95% interval.
place = Place
terms = What detractors say that others do not
terms-of = { $n ->
    [one] Of the last comment with a score
   *[other] Of the last { $value } comments with a score
}
terms-none = Nothing stands out beyond chance.
share = Share
share-for = Share for
shares = Shared pages
shares-note = Whoever has the link of a page may read it, as it is at that moment, and nothing else.
shares-none = Nothing is shared. The overview and the page of each form have “Share” at their end.
share-made = The link is shown only now
share-until = until { $value }
share-withdraw = Withdraw
comments-n = { $n ->
    [one] { $value } comment
   *[other] { $value } comments
}
latest-comments = Latest comments
comments-none = No comments on these days.
all-answers = All answers
smiley = Smiley
words = Words
track-field = Tracking field
answers-show = Show
apply = Apply
answers-comments = Comments
answers-all = All answers
answers-none = No answers on these days.
answers-no-match = Nothing matches on these days.

upload = Import a file
upload-text = Drop a CSV, JSON or NDJSON file here. Each record needs a docid and a phone; all other columns become tracking fields.
upload-file = Choose a file
upload-campaign = Send with
upload-no-campaign = Only import
upload-failed = The file did not arrive. Please try again.
upload-noscript = Uploading a file here needs JavaScript. The command “feedback import” does without.
imports-none = Nothing was imported yet.
import = Import
status = Status
received = Received
rejected = Rejected
stored = Stored
created = Created
updated = Updated
unchanged = Unchanged
superseded = Superseded
failed = Failed
cancelled = Cancelled
rate = { $value } records a second
eta = { $value } s left
rejected-records = Rejected records
record = Record
member = Member
reason = Reason
errors-more = These are the first 100.
do-cancel = Cancel
do-retry = Try again
do-start = Start
do-pause = Pause
do-resume = Resume
do-finish = Finish
do-publish = Publish
do-delete = Delete
do-link = A link to it
do-rotate = New secret
do-revoke = Revoke
sure-cancel = What was not sent is never sent, and the campaign cannot go on.
sure-finish = No more imports are taken. What waits is still sent, and the campaign cannot go on afterwards.
sure-delete = Its links close for good, also those in messages that were sent, and its campaigns send nothing more. What was answered stays in reports.
sure-rotate = The present secret works for another day.
sure-revoke = Programs that use this key are refused from now on, for good.
sure-remove = { $value } is signed out and cannot come back.

recipients-none = There are no recipients yet. They come with imports.
recipient-none = There is no recipient “{ $value }”.
phone = Phone
changed = Changed
created-at = Made
started-at = Started
finished-at = Finished
messages = Messages
erase = Erase
erase-text = Phone and tracking fields are gone for good, and nothing more is sent. Answers stay, without the person.
erase-now = Erase for good
kind-reminder = Reminder
kind-test = Test

campaign = Campaign
campaigns-none = No campaign yet. Make one, or send one with “feedback campaign create”.
campaign-new = New campaign
campaign-edit = Edit
campaign-text = Thank you for your visit! How was it? { "{" }link{ "}" }
campaign-waits = Nothing is sent yet: it goes to whoever is imported for it.
campaign-save-first = Save first: this sends what is stored.
campaign-text-note = With { "{" }link{ "}" } once. { "{" }first_name|there{ "}" } is a tracking field, or the text after the bar where it is missing.
campaign-audience = Who gets it
audience-import = Whoever comes with an import for it
audience-keep = As it is stored
campaign-fields = Tracking fields to keep with the answer
campaign-bus-props = Business properties, from which fields
campaign-window = Send between (empty: at any time)
campaign-gap = Not if contacted in so many days
campaign-parts = Parts of a message at most
campaign-reminder = Reminder to those who have not answered
campaign-reminder-days = After days
campaign-test = Send a test
save = Save and preview
copy = Copy
preview = What it would do today
preview-import = Starting sends nothing yet: each import for this campaign then does. As an example, the newest who are stored:
preview-eligible = { $n ->
    [one] { $value } message
   *[other] { $value } messages
}
preview-of = { $n ->
    [one] to { $value } recipient
   *[other] to { $value } recipients
}
preview-parts = { $n ->
    [one] { $value } part
   *[other] { $value } parts
}
preview-chars = { $n ->
    [one] { $value } character
   *[other] { $value } characters
}
preview-partial = Only the first of a large audience are counted here. Saving counts all.
preview-nobody = Nobody would get it today. A tracking field is filled in once somebody does.
preview-wrong = This has to be mended first:
not-saved = It is not saved yet, because something has to be mended first. What you typed is all here.
outdated = Somebody else changed this while you were editing. What you typed is all here, but it is not saved yet. Look at the newer version; if you then save, yours replaces it.
outdated-see = See the newer version in a new tab
reminders = Reminders
about = About it
text = Text
form-report = To its report
sender = Sender

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
status-scheduled = Scheduled
status-sending = Sending
status-accepted = Sent
status-delivered = Delivered
status-undelivered = Undelivered
status-expired = Expired
status-failed = Failed
status-unknown = Unknown
skip-opted-out = Opted out
skip-erased = Erased
skip-contact-gap = Contacted lately
skip-already-answered = Answered already
skip-duplicate-phone = Phone comes twice
skip-country-not-allowed = Country not allowed
skip-too-long = Text too long
skip-template-field-missing = Field missing
skip-too-late = Too late
skip-form-deleted = Form deleted

forms-none-here = There are no such forms. A new one begins as a draft, and asks once it is published.
form-new = New form
form-title = Title
form-bus-props = Business properties, one a line
form-type = Kind
form-label = Question
form-required = Must be answered
number-scale = From 1 to
form-more = More
form-add = Add a question
move-up = Up
move-down = Down
form-save = Save
form-preview = Preview
form-show-if = Ask only if (key=answer,answer)
form-labels = In other languages, one a line
form-piping = { "{" }name|text{ "}" } in texts is a tracking field of the link
form-options = Options, one a line: value=text
form-note = A row without a question is left out.
form-nps = Would you recommend us to a friend?
form-comment = What should we know?
type-nps = Recommendation, 0–10
type-happiness = Smileys
type-rating = Rating
type-choice = One of several
type-choices = Some of several
type-text = Short text
type-comment = Comment
people-add = Add a person
people-name-wrong = A name has 1 to 100 characters.
people-name-taken = Somebody has this name already.
people-last-admin = An account keeps at least one admin.
name = Name
password = Password
password-rule = At least 10 characters
password-current = Present password
new-password = New password
password-change = Change your password
password-wrong = The present password is not right.
password-too-short = A password has at least 10 characters.
password-note = All your sessions end, and you sign in again.
role = Role
role-viewer = Viewer
role-editor = Editor
role-admin = Admin
roles-note = Viewers look. Editors also make forms, campaigns and imports. Admins also manage people and keys.
set-role = Set role
set = Set
remove = Remove
keys-none = There are no keys yet.
key-made = The secret is shown only now
key-add = Make a key
scopes = Scopes
last-used = last used { $value }
never-used = never used
revoked-at = revoked { $value }
erased-person = somebody who was erased
audit-none = Nothing was changed here yet.
audit-branding-set = Branding changed
audit-campaign-create = Campaign made
audit-campaign-replace = Campaign changed
audit-campaign-test = Test message sent
audit-campaign-start = Campaign started
audit-campaign-pause = Campaign paused
audit-campaign-resume = Campaign resumed
audit-campaign-finish = Campaign finished
audit-campaign-cancel = Campaign cancelled
audit-form-create = Form made
audit-form-replace = Form changed
audit-form-publish = Form published
audit-form-delete = Form deleted
audit-form-link = Link made
audit-import-upload = File imported
audit-import-cancel = Import cancelled
audit-import-retry = Import tried again
audit-key-create = API key made
audit-key-rotate = New secret for an API key
audit-key-revoke = API key revoked
audit-password-change = Password changed
audit-person-add = Person added
audit-person-role = Role changed
audit-person-password = Password of a person set
audit-person-remove = Person removed
audit-recipient-erase = Recipient erased
audit-share-create = Page shared
audit-share-withdraw = Share withdrawn
audit-suppression-add = Phone suppressed
audit-suppression-remove = Phone allowed again
audit-done = done
audit-refused = refused
when = When
who = Who
what = What
to-what = To what
from-where = From where
came-to = Came to

export = As CSV
link-made = A link to the form
link-note = Whoever opens it sees the form. The code below leads to it too, and can be printed.
link-qr = The link as a QR code
suppressions = Who gets no messages
suppressions-none = Nobody has opted out, and no phone was put here.
suppression-source = How
suppression-change = Put a phone on the list, or take it off
suppression-add = Send no more
suppression-remove = Send again
suppressed-inbound = Their text
suppressed-provider = Their provider
suppressed-page = The form's page
suppressed-api = Put here

branding = How pages look
branding-note = For the pages behind your links: whoever opens one sees whose it is. What is empty is as the service has it.
branding-name = Your name, as your customers know it
branding-color = Colour
branding-language = Language of buttons and notes, for readers whose own language we do not have
branding-default = As the service has it
branding-logo = Logo (PNG, JPEG, WebP or SVG, at most 100 kB)
branding-no-logo = Remove the logo
branding-noscript = Choosing a logo needs JavaScript; the rest does without.
branding-large = The logo has more than 100 kB.
branding-save = Save
language-en = English
language-de = German

# Pages behind links.
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
public-stop-text = You will get no more messages from this sender. You can close this page now.
public-unstopped = Please reply STOP
public-unstopped-text = Your number has been deleted here, so this page cannot stop messages to it. Reply STOP to the message, and you will get no more.
public-thanks = Thank you
public-thanks-text = Your feedback has arrived. You can close this page now.
public-nothing = There is no form here
public-nothing-text = The link may be incomplete. Please check that you have all of it, or ask whoever sent it to you.
public-closed = This form is closed
public-closed-text = It takes no more answers. Thank you for your time.
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
