# Deutsch. `$value` ist ein Text, `$n` eine Anzahl, die die Form wählt.

number-group = .
number-decimal = ,
percent = { $value } %
points = { $value } Pkt.
interval = 95-%-Intervall { $value }
date = { $day }. { $month } { $year }
date-short = { $day }. { $month }
month-1 = Jan.
month-2 = Feb.
month-3 = März
month-4 = Apr.
month-5 = Mai
month-6 = Juni
month-7 = Juli
month-8 = Aug.
month-9 = Sept.
month-10 = Okt.
month-11 = Nov.
month-12 = Dez.

skip = Zum Inhalt
navigation = Seiten
nav-overview = Übersicht
nav-answers = Antworten
nav-campaigns = Kampagnen
nav-imports = Importe
nav-recipients = Empfänger
recipient = Empfänger
nav-forms = Formulare
nav-people = Personen
nav-keys = API-Schlüssel
nav-audit = Protokoll
sign-in = Anmelden
sign-in-wrong = Name und Passwort passen nicht zusammen. Bitte noch einmal versuchen.
sign-in-link = Sie melden sich als { $value } an. Der Link gilt einmal.
sign-out = Abmelden
to-dashboard = Zur Übersicht
trouble-not-found = Hier ist nichts
trouble-forbidden = Das dürfen Sie nicht
trouble-too-many = Zu viele Versuche
trouble-unavailable = Wir können gerade nicht antworten
trouble-link-gone = Dieser Link gilt nicht mehr
trouble-other = Das hat nicht geklappt

range = Tage
range-today = Heute
range-days = { $value } Tage
range-from = Von
range-to = Bis
show = Zeigen
apply = Anwenden
search = Suchen
all = Alle
next-page = Nächste Seite
as-table = Als Tabelle
day = Tag

card-views = Aufrufe
card-responses = Antworten
card-response-rate = Antwortquote
card-happiness = Zufrieden
card-nps = NPS
card-of-views = { $n ->
    [one] von { $value } Aufruf
   *[other] von { $value } Aufrufen
}
card-before = { $value } davor
significant = signifikant
by-chance = kann Zufall sein
chart-days = Aufrufe und Antworten je Tag
chart-nps = Net Promoter Score
chart-nps-line = letzte 7 Tage
chart-nps-band = 95-%-Intervall
chart-nps-empty = Noch niemand hat eine Frage von 0 bis 10 beantwortet.
chart-dip = Tiefster Wert, nicht durch Zufall: { $value }, mit
nps-week = NPS, letzte 7 Tage
funnel = Vom Import zur Antwort
funnel-note = Jeder Schritt zählt an dem Tag, an dem er geschah. Der Anteil bezieht sich auf den Schritt darüber.
form = Formular
forms-none = Noch kein Formular ist veröffentlicht.
trend = Verlauf
new-heading = Willkommen
new-text = Drei Schritte führen zur ersten Antwort:
new-form = Ein Formular anlegen und veröffentlichen
new-import = Empfänger importieren
new-campaign = Ihnen eine Kampagne senden

step-imported = Importiert
step-recipients = Empfänger
step-scheduled = Geplant
step-sent = Gesendet
step-delivered = Zugestellt
step-viewed = Angesehen
step-answered = Beantwortet

bus-prop = Merkmal
nps-parts = Fürsprecher und Kritiker
nps-promoters = Fürsprecher (9–10)
nps-passives = Neutrale (7–8)
nps-detractors = Kritiker (0–6)
answers-n = { $n ->
    [one] { $value } Antwort
   *[other] { $value } Antworten
}
mean = Mittel { $value }
table-of = Vergleich: { $value }
table-note = Ein Platz ab 30 Antworten, denn weniger sagen wenig. Das Band ist das 95-%-Intervall.
place = Platz
terms = Was Kritiker sagen und andere nicht
terms-of = { $n ->
    [one] Aus dem letzten Kommentar mit Note
   *[other] Aus den letzten { $value } Kommentaren mit Note
}
terms-none = Nichts sticht über den Zufall hinaus hervor.
share = Teilen
share-for = Teilen für
shares = Geteilte Seiten
shares-note = Wer den Link einer Seite hat, kann sie lesen, so wie sie dann ist, und sonst nichts.
shares-none = Nichts ist geteilt. Die Übersicht und die Seite jedes Formulars haben an ihrem Ende „Teilen“.
share-made = Der Link wird nur jetzt gezeigt
share-until = bis { $value }
share-withdraw = Zurückziehen
comments-n = { $n ->
    [one] { $value } Kommentar
   *[other] { $value } Kommentare
}
latest-comments = Neueste Kommentare
comments-none = Keine Kommentare an diesen Tagen.
all-answers = Alle Antworten
smiley = Smiley
words = Wörter
track-field = Tracking-Feld
answers-show = Zeigen
answers-comments = Kommentare
answers-all = Alle Antworten
answers-none = Keine Antworten an diesen Tagen.
answers-no-match = Nichts passt an diesen Tagen dazu.

upload = Eine Datei importieren
upload-text = Eine Datei in CSV, JSON oder NDJSON hierher ziehen. Jeder Datensatz braucht docid und phone; alle anderen Spalten werden Tracking-Felder.
upload-file = Datei wählen
upload-campaign = Senden mit
upload-no-campaign = Nur importieren
upload-failed = Die Datei ist nicht angekommen. Bitte versuchen Sie es noch einmal.
upload-noscript = Das Hochladen braucht hier JavaScript. Der Befehl „feedback import“ kommt ohne aus.
imports-none = Noch nichts wurde importiert.
import = Import
status = Status
received = Empfangen
rejected = Abgelehnt
stored = Gespeichert
created = Angelegt
updated = Geändert
unchanged = Unverändert
superseded = Überholt
failed = Gescheitert
cancelled = Abgebrochen
rate = { $value } Datensätze je Sekunde
eta = noch { $value } s
rejected-records = Abgelehnte Datensätze
record = Datensatz
member = Feld
reason = Grund
errors-more = Das sind die ersten 100.
do-cancel = Abbrechen
do-retry = Noch einmal versuchen
do-start = Starten
do-pause = Anhalten
do-resume = Fortsetzen
do-finish = Beenden
do-publish = Veröffentlichen
do-delete = Löschen
do-link = Ein Link dazu
do-rotate = Neues Geheimnis
do-revoke = Widerrufen
sure-cancel = Was noch nicht gesendet ist, wird nie gesendet, und die Kampagne kann nicht weitergehen.
sure-finish = Weitere Importe werden nicht angenommen. Was wartet, wird noch gesendet; danach kann die Kampagne nicht weitergehen.
sure-delete = Seine Links schließen endgültig, auch die in schon gesendeten Nachrichten, und seine Kampagnen senden nichts mehr. Was beantwortet wurde, bleibt in den Berichten.
sure-rotate = Das jetzige Geheimnis gilt noch einen Tag.
sure-revoke = Programme mit diesem Schlüssel werden ab jetzt abgewiesen, endgültig.
sure-remove = { $value } wird abgemeldet und kann nicht zurückkommen.

recipients-none = Es gibt noch keine Empfänger. Sie kommen mit Importen.
recipient-none = Es gibt keinen Empfänger „{ $value }“.
phone = Telefon
changed = Geändert
created-at = Angelegt
started-at = Gestartet
finished-at = Beendet
messages = Nachrichten
erase = Löschen
erase-text = Telefon und Tracking-Felder sind dann für immer weg, und nichts mehr wird gesendet. Antworten bleiben, ohne die Person.
erase-now = Für immer löschen
kind-reminder = Erinnerung
kind-test = Test

campaign = Kampagne
campaigns-none = Noch keine Kampagne. Legen Sie eine an, oder senden Sie eine mit „feedback campaign create“.
campaign-new = Neue Kampagne
campaign-edit = Bearbeiten
campaign-text = Danke für Ihren Besuch! Wie war es? { "{" }link{ "}" }
campaign-waits = Noch wird nichts gesendet: Es geht an alle, die dafür importiert werden.
campaign-save-first = Erst speichern: Gesendet wird, was gespeichert ist.
campaign-text-note = Mit { "{" }link{ "}" } genau einmal. { "{" }first_name|Gast{ "}" } ist ein Tracking-Feld, oder der Text nach dem Strich, wo es fehlt.
campaign-audience = Wer sie bekommt
audience-import = Wer mit einem Import für sie kommt
audience-keep = Wie sie gespeichert ist
campaign-fields = Tracking-Felder, die bei der Antwort bleiben
campaign-bus-props = Merkmale, aus welchen Feldern
campaign-window = Senden zwischen (leer: jederzeit)
campaign-gap = Nicht, wenn in so vielen Tagen angeschrieben
campaign-parts = Höchstens so viele Teile je Nachricht
campaign-reminder = Erinnerung an alle, die nicht geantwortet haben
campaign-reminder-days = Nach Tagen
campaign-test = Test senden
save = Speichern und ansehen
copy = Kopieren
preview = Was sie heute täte
preview-import = Der Start sendet noch nichts; das tut dann jeder Import für diese Kampagne. Als Beispiel die neuesten, die gespeichert sind:
preview-eligible = { $n ->
    [one] { $value } Nachricht
   *[other] { $value } Nachrichten
}
preview-of = { $n ->
    [one] an { $value } Empfänger
   *[other] an { $value } Empfänger
}
preview-parts = { $n ->
    [one] { $value } Teil
   *[other] { $value } Teile
}
preview-chars = { $n ->
    [one] { $value } Zeichen
   *[other] { $value } Zeichen
}
preview-partial = Von einem großen Empfängerkreis sind hier nur die ersten gezählt. Beim Speichern werden alle gezählt.
preview-nobody = Heute bekäme sie niemand. Ein Tracking-Feld wird ausgefüllt, sobald jemand sie bekommt.
preview-wrong = Das muss zuerst behoben werden:
not-saved = Es ist noch nicht gespeichert, denn etwas muss zuerst behoben werden. Was Sie eingegeben haben, ist alles noch da.
outdated = Jemand anders hat das geändert, während Sie daran gearbeitet haben. Was Sie eingegeben haben, steht noch hier, ist aber nicht gespeichert. Sehen Sie sich die neuere Fassung an; wenn Sie danach speichern, ersetzt Ihre sie.
outdated-see = Die neuere Fassung in einem neuen Tab ansehen
reminders = Erinnerungen
about = Worum es geht
text = Text
form-report = Zu seinem Bericht
sender = Absender

status-draft = Entwurf
status-published = Veröffentlicht
status-deleted = Gelöscht
status-running = Läuft
status-paused = Angehalten
status-finished = Beendet
status-cancelled = Abgebrochen
status-queued = Wartet
status-processing = In Arbeit
status-completed = Fertig
status-stalled = Steht
status-skipped = Ausgelassen
status-scheduled = Geplant
status-sending = Wird gesendet
status-accepted = Gesendet
status-delivered = Zugestellt
status-undelivered = Nicht zugestellt
status-expired = Abgelaufen
status-failed = Gescheitert
status-unknown = Unbekannt
skip-opted-out = Abgemeldet
skip-erased = Gelöscht
skip-contact-gap = Vor Kurzem angeschrieben
skip-already-answered = Schon geantwortet
skip-duplicate-phone = Telefon kommt doppelt vor
skip-country-not-allowed = Land nicht erlaubt
skip-too-long = Text zu lang
skip-template-field-missing = Feld fehlt
skip-too-late = Zu spät
skip-form-deleted = Formular gelöscht

forms-none-here = Solche Formulare gibt es nicht. Ein neues beginnt als Entwurf und fragt, sobald es veröffentlicht ist.
form-new = Neues Formular
form-title = Titel
form-bus-props = Merkmale, eines je Zeile
form-type = Art
form-label = Frage
form-required = Muss beantwortet werden
number-scale = Von 1 bis
form-more = Mehr
form-add = Frage hinzufügen
move-up = Nach oben
move-down = Nach unten
form-save = Speichern
form-preview = Vorschau
form-show-if = Nur fragen, wenn (Schlüssel=Antwort,Antwort)
form-labels = In anderen Sprachen, eine je Zeile
form-piping = { "{" }Name|Text{ "}" } in Texten ist ein Tracking-Feld des Links
form-options = Möglichkeiten, eine je Zeile: Wert=Text
form-note = Eine Zeile ohne Frage entfällt.
form-nps = Würden Sie uns Freunden empfehlen?
form-comment = Was sollten wir wissen?
type-nps = Empfehlung, 0–10
type-happiness = Smileys
type-rating = Bewertung
type-choice = Eine von mehreren
type-choices = Einige von mehreren
type-text = Kurzer Text
type-comment = Kommentar
people-add = Person hinzufügen
people-name-wrong = Ein Name hat 1 bis 100 Zeichen.
people-name-taken = Diesen Namen hat schon jemand.
people-last-admin = Ein Konto behält mindestens eine Administratorin oder einen Administrator.
name = Name
password = Passwort
password-rule = Mindestens 10 Zeichen
password-current = Bisheriges Passwort
new-password = Neues Passwort
password-change = Passwort ändern
password-wrong = Das bisherige Passwort stimmt nicht.
password-too-short = Ein Passwort hat mindestens 10 Zeichen.
password-note = Alle Ihre Sitzungen enden, und Sie melden sich neu an.
role = Rolle
role-viewer = Lesen
role-editor = Bearbeiten
role-admin = Verwalten
roles-note = „Lesen“ sieht alles. „Bearbeiten“ legt auch Formulare, Kampagnen und Importe an. „Verwalten“ kümmert sich auch um Personen und Schlüssel.
set-role = Rolle setzen
set = Setzen
remove = Entfernen
keys-none = Es gibt noch keine Schlüssel.
key-made = Das Geheimnis wird nur jetzt gezeigt
key-add = Schlüssel machen
scopes = Rechte
last-used = zuletzt benutzt { $value }
never-used = nie benutzt
revoked-at = widerrufen { $value }
audit-none = Hier wurde noch nichts geändert.
when = Wann
who = Wer
what = Was
to-what = Woran
from-where = Von wo
came-to = Ergebnis

export = Als CSV
link-made = Ein Link zum Formular
link-note = Wer ihn öffnet, sieht das Formular. Auch der Code darunter führt dorthin und lässt sich drucken.
link-qr = Der Link als QR-Code
suppressions = Wer keine Nachrichten bekommt
suppressions-none = Niemand hat sich abgemeldet, und keine Nummer wurde hier eingetragen.
suppression-source = Wie
suppression-change = Eine Nummer eintragen oder streichen
suppression-add = Nichts mehr senden
suppression-remove = Wieder senden
suppressed-inbound = Durch eine SMS
suppressed-provider = Durch den Anbieter
suppressed-page = Auf der Formularseite
suppressed-api = Hier eingetragen

branding = Aussehen der Seiten
branding-note = Für die Seiten hinter Ihren Links: Wer einen öffnet, sieht, von wem er ist. Was leer ist, bleibt wie vom Dienst vorgesehen.
branding-name = Ihr Name, wie Ihre Kunden ihn kennen
branding-color = Farbe
branding-language = Sprache der Knöpfe und Hinweise für alle, deren Sprache wir nicht haben
branding-default = Wie vom Dienst vorgesehen
branding-logo = Logo (PNG oder SVG, höchstens 100 kB)
branding-no-logo = Logo entfernen
branding-noscript = Ein Logo auszuwählen braucht JavaScript; alles andere geht ohne.
branding-large = Das Logo hat mehr als 100 kB.
branding-save = Speichern
language-en = Englisch
language-de = Deutsch

# Seiten hinter Links.
public-required = (Pflichtfeld)
public-error = Fehler:
public-check = Bitte prüfen Sie Ihre Antworten
public-busy = Gerade antworten zu viele Menschen auf einmal
public-busy-text = Ihre Antworten sind noch nicht gesendet. Alles, was Sie eingegeben haben, steht unten: Bitte warten Sie einen Moment und senden Sie es noch einmal.
public-unsaved = Wir konnten Ihre Antworten gerade nicht speichern
public-unsaved-text = Alles, was Sie eingegeben haben, steht unten: Bitte warten Sie einen Moment und senden Sie es noch einmal.
public-send = Feedback senden
public-stop = Keine Nachrichten mehr
public-stop-text = Sie erhalten von diesem Absender keine Nachrichten mehr. Sie können diese Seite jetzt schließen.
public-thanks = Vielen Dank
public-thanks-text = Ihr Feedback ist angekommen. Sie können diese Seite jetzt schließen.
public-nothing = Hier ist kein Formular
public-nothing-text = Vielleicht ist der Link unvollständig. Bitte prüfen Sie, ob er ganz da ist, oder fragen Sie, wer ihn Ihnen geschickt hat.
public-closed = Dieses Formular ist geschlossen
public-closed-text = Es nimmt keine Antworten mehr an. Danke für Ihre Zeit.
public-late = Dieses Formular ist geschlossen
public-late-text = Es wurde geschlossen, bevor Ihre Antworten ankamen; sie sind nicht gespeichert. Sie stehen unten, falls Sie sie kopieren möchten.
public-answers = Ihre Antworten
public-kept = Ihre Antworten sind noch nicht gesendet
public-kept-text = Wir konnten sie gerade nicht annehmen. Sie bleiben auf dieser Seite: Bitte warten Sie einen Moment und senden Sie sie noch einmal.
public-again = Noch einmal senden
public-large = Das ist zu viel auf einmal
public-large-text = Bitte gehen Sie zurück, kürzen Sie Ihre Antworten und senden Sie sie noch einmal.
public-many = Bitte warten Sie einen Moment
public-many-text = Gerade kommen zu viele Anfragen. Bitte versuchen Sie es in ein paar Sekunden noch einmal.
public-unread = Das konnten wir nicht lesen
public-unread-text = Bitte öffnen Sie den Link noch einmal und füllen Sie das Formular dort aus.
public-broken = Bei uns ist etwas schiefgegangen
public-broken-text = Bitte versuchen Sie es in ein paar Minuten noch einmal.
public-choose = Bitte wählen Sie eine Antwort.
public-choose-grade = Bitte wählen Sie aus { $value }.
public-choose-one = Bitte wählen Sie eine der angezeigten Antworten.
public-choose-some = Bitte wählen Sie mindestens eine Antwort.
public-write = Bitte schreiben Sie eine Antwort.
public-character = Hier steht ein Zeichen, das nicht gespeichert werden kann. Bitte tippen Sie den Text neu.
public-shorten = { $n ->
    [one] Bitte kürzen Sie das um { $value } Zeichen.
   *[other] Bitte kürzen Sie das um { $value } Zeichen.
}
public-limit = Höchstens { $value } Zeichen.
public-left = Zeichen übrig: { $value }
public-over = Zeichen zu viel: { $value }
public-clear = Diese Antwort löschen
public-unanswered = Noch ist nichts beantwortet. Bitte beantworten Sie mindestens eine Frage.
public-changed = Das Formular hat sich geändert, seit Sie es geöffnet haben. Bitte prüfen Sie Ihre Antworten und senden Sie sie noch einmal.
public-nps-0 = äußerst unwahrscheinlich
public-nps-10 = äußerst wahrscheinlich
public-lowest = am schlechtesten
public-highest = am besten
public-happiness-1 = Sehr unzufrieden
public-happiness-2 = Unzufrieden
public-happiness-3 = Neutral
public-happiness-4 = Zufrieden
public-happiness-5 = Sehr zufrieden
