# Deutsch. `$value` ist ein Text, `$n` eine Anzahl, die die Form wählt.

number-group = .
number-decimal = ,
percent = { $value } %
points = { $value } Pkt.
labelled = { $what }: { $value }
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
nav-stores = Filialen
nav-campaigns = Kampagnen
nav-imports = Importe
nav-recipients = Empfänger
nav-senders = SMS-Versand
recipient = Empfänger
nav-forms = Formulare
nav-people = Team
nav-keys = API-Schlüssel
nav-audit = Protokoll
sign-in = Anmelden
sign-in-wrong = Name oder Passwort ist falsch. Bitte versuchen Sie es noch einmal.
sign-in-link = Sie melden sich als { $value } an. Der Link gilt einmal.
first-heading = Willkommen
first-text = Sie melden sich hier als Erste oder Erster an und verwalten damit das Konto: Alle anderen laden Sie ein.
first-name = Ihr Name zum Anmelden
first-go = Konto einrichten und anmelden
sign-in-link-password = Hallo { $value }, bitte wählen Sie ein neues Passwort. Dieser Link gilt einmal.
sign-in-link-set = Passwort speichern und anmelden
oidc-sign-in = Mit { $value } anmelden
oidc-or = Oder mit Ihrem Namen und Ihrem Passwort von hier:
oidc-away = { $value } antwortet gerade nicht. Bitte versuchen Sie es in ein paar Minuten noch einmal. Wenn Sie hier ein Passwort haben, können Sie sich damit anmelden.
oidc-refused = { $value } hat Sie nicht angemeldet. Bitte versuchen Sie es noch einmal. Klappt es wieder nicht, wenden Sie sich bitte an die Person, die diesen Dienst betreibt.
oidc-anew = Das Anmelden hat zu lange gedauert, oder es hat in einem anderen Fenster oder Browser begonnen. Bitte fangen Sie noch einmal an.
oidc-no-role = { $value } kennt Sie, gibt Ihnen hier aber keine Rolle. Bitten Sie die Stelle darum, die in Ihrem Unternehmen die Anmeldungen verwaltet, meist die IT.
oidc-no-role-claim = Was diese wissen muss: Nichts von dem, was „{ $value }“ über Sie sagt, steht in FEEDBACK_OIDC.
oidc-no-role-email = Was diese wissen muss: Ihre E-Mail-Adresse steht nicht in FEEDBACK_OIDC, oder { $value } bestätigt nicht, dass sie Ihnen gehört (email_verified).
oidc-last-admin = { $value } gibt Ihnen keine Verwaltungsrechte mehr, aber sonst hat sie hier niemand. Zuerst muss sich jemand anderes mit diesen Rechten anmelden.
oidc-no-account = { $value } gibt Ihnen eine Rolle in einem Unternehmen, das es hier nicht gibt. Bitte wenden Sie sich an die Person, die diesen Dienst betreibt.
oidc-name-taken = So, wie { $value } Sie nennt, heißt hier schon jemand anderes. Bitte wenden Sie sich an die Person, die diesen Dienst betreibt.
oidc-own = Sie melden sich über die Anmeldung Ihres Unternehmens an. Passwort und zweiten Faktor ändern Sie dort.
oidc-person = Meldet sich über die Anmeldung Ihres Unternehmens an; die Rolle kommt von dort.
people-provider = Diese Person meldet sich über die Anmeldung Ihres Unternehmens an und hat hier kein Passwort.
retention = Wie lange Daten bleiben
retention-note = Was älter ist, wird jeden Tag endgültig gelöscht. Ihre Zahlen bleiben: Auswertungen zählen es für immer. Deshalb wird niemand zweimal gefragt.
retention-ever = für immer
retention-answers = Tage, die Antworten bleiben
retention-answers-note = Mit allem, was geschrieben wurde. Listen, Exporte und Kommentare haben keine älteren.
retention-visits = Tage, die Besuche bleiben
retention-visits-note = Wer wann welche Seite geöffnet hat.
retention-messages = Tage, die Nachrichten bleiben
retention-messages-note = Von beendeten Kampagnen, gerechnet ab ihrem Ende. Auch ihre Links enden.
retention-audit = Tage, die das Protokoll bleibt
retention-audit-note = Mindestens 90 Tage.
retention-sealed = Gelöscht bis { $value }.
retention-holds = Bis { $value } wird nichts weiter gelöscht. So lange können Sie die Tage noch zurückändern.
retention-look = Zeigen, was gelöscht würde
retention-goes = Das wird in 24 Stunden gelöscht:
retention-goes-answers = { $n ->
    [one] { $value } Antwort
   *[other] { $value } Antworten
}
retention-goes-visits = { $n ->
    [one] { $value } Besuch
   *[other] { $value } Besuche
}
retention-goes-messages = { $n ->
    [one] { $value } Nachricht
   *[other] { $value } Nachrichten
}
retention-goes-audit = { $n ->
    [one] { $value } Zeile des Protokolls
   *[other] { $value } Zeilen des Protokolls
}
retention-goes-none = Noch ist nichts so alt. In 24 Stunden geht es los: Von da an wird jeden Tag gelöscht, was älter wird.
retention-sure = Bis dahin können Sie die Tage hier zurückändern. Danach lässt sich nichts zurückholen. Möchten Sie das?
retention-set = Älteres löschen
retention-wrong = Bitte geben Sie ganze Tage an: von 1 bis 36.500, für das Protokoll ab 90.
sealed-answers = Antworten bis { $value } sind gelöscht. Die Zahlen zählen sie mit; Listen und Kommentare haben sie nicht mehr.
sealed-messages = Die Nachrichten dieser Kampagne sind gelöscht. Ihre Zahlen bleiben.
sealed-campaigns = Die Nachrichten von Kampagnen, die bis { $value } zu Ende waren, sind gelöscht. Ihre Zahlen bleiben.
company = Unternehmen
company-name = Name des Unternehmens
company-note = Er steht über Ihren Auswertungen und auf den Seiten, die Ihre Kunden sehen.
company-save = Namen speichern
company-wrong = Der Name eines Unternehmens hat 1 bis 100 Zeichen.
time-zone = Zeitzone
time-zone-choose = Bitte eine Zeitzone wählen
time-zone-note = Ihre Auswertungen zählen Tage in dieser Zeitzone. Sie können sie ändern, bis die erste Person importiert ist oder die erste Antwort eingeht.
time-zone-stays = Die Zeitzone lässt sich nicht mehr ändern: Auswertungen haben schon Tage in ihr gezählt.
time-zone-save = Zeitzone speichern
simulated = Simuliert: Noch erreicht keine SMS ein Telefon. Bitten Sie Ihre IT, einen SMS-Anbieter anzuschließen.
simulated-campaign = Simuliert: Der Absender dieser Kampagne erreicht keine Telefone.
step-delivered-simulated = Zugestellt (simuliert)
status-delivered-simulated = Zugestellt (simuliert)
sign-out = Abmelden
to-dashboard = Zur Übersicht
trouble-not-found = Hier ist nichts
trouble-forbidden = Das ist Ihnen nicht erlaubt
trouble-too-many = Zu viele Versuche
trouble-unavailable = Wir können gerade nicht antworten
trouble-link-gone = Dieser Link gilt nicht mehr
trouble-other = Das hat nicht geklappt

range = Tage
range-today = Heute
range-days = { $value } Tage
range-other = Anderer Zeitraum
range-turned = „Von“ liegt nach „Bis“. Gezeigt werden die letzten 30 Tage.
range-wrong = Das ist kein Zeitraum von höchstens 1.830 Tagen. Gezeigt werden die letzten 30 Tage.
range-this-week = Diese Woche
range-last-week = Letzte Woche
range-this-month = Dieser Monat
range-last-month = Letzter Monat
range-this-quarter = Dieses Quartal
range-last-quarter = Letztes Quartal
range-this-year = Dieses Jahr
range-last-year = Letztes Jahr
compare = Verglichen mit
compare-before = Vorperiode
compare-year = Vorjahr
compared-with = Verglichen mit { $value }
not-over = Der heutige Tag ist noch nicht vorbei, daher gibt es noch keinen Vergleich.
help = Was ist das?
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
card-response-rate = Abschlussquote
card-answered = Rücklaufquote
card-of-delivered = { $n ->
    [one] von { $value } zugestellten Nachricht
   *[other] von { $value } zugestellten Nachrichten
}
help-completed = Wie viele aller Aufrufe des Formulars zu einer Antwort führten. Wer es zweimal öffnet, zählt zweimal.
help-answered = Wie viele der zugestellten Nachrichten beantwortet wurden.
help-satisfied = Wie viele von denen, die einen Smiley gewählt haben, einen der besten zwei gewählt haben. Das Intervall sagt, wo der Wert vermutlich läge, wenn alle geantwortet hätten: je mehr Antworten, desto enger.
help-nps = Net Promoter Score: der Anteil der Fürsprecher (9–10) minus den der Kritiker (0–6), von −100 bis 100. Das Intervall sagt, wo er vermutlich läge, wenn alle geantwortet hätten: je mehr Antworten, desto enger.
card-happiness = Zufrieden (4–5)
card-nps = NPS
card-of-views = { $n ->
    [one] von { $value } Aufruf
   *[other] von { $value } Aufrufen
}
card-before = { $value } zuvor
card-since = Daten erst seit { $value }
clear = Deutliche Änderung
by-chance = Keine deutliche Änderung
too-few = Zu wenige Antworten für ein Urteil
coming-in = der heutige Tag läuft noch
chart-days = Aufrufe und Antworten je Tag
chart-nps = Net Promoter Score
chart-nps-line = letzte 7 Tage
chart-nps-band = 95-%-Intervall
chart-nps-empty = Noch niemand hat eine Frage von 0 bis 10 beantwortet.
chart-nps-empty-past = An diesen Tagen hat niemand eine Frage von 0 bis 10 beantwortet.
chart-dip-stores = Filialen an diesen Tagen
chart-dip-detractors = Kritiker mit Kommentar
chart-dip = Deutlicher Tiefpunkt: { $value }, NPS
nps-week = NPS, letzte 7 Tage
funnel = Vom Import zur Antwort
step = Schritt
number = Anzahl
of-step-before = Vom Schritt darüber
of-recipients = Von allen Empfängern
funnel-note = Jeder Schritt zählt an dem Tag, an dem er geschah. Importiert sind die Personen, die jetzt gespeichert sind: Wer inzwischen gelöscht wurde, fehlt. Aufrufe und Antworten zählen auch die von Links ohne Nachricht, etwa einen QR-Code. Der Anteil bezieht sich auf den Schritt darüber.
form = Formular
forms-all = Alle Formulare
forms-none = Noch ist kein Formular veröffentlicht.
trend = Verlauf
steps-heading = Erste Schritte
steps-done = { $value } erledigt
step-is-done = Erledigt:
steps-form = Ein Formular erstellen und veröffentlichen
steps-note-form = fünf Minuten, oder aus einer Vorlage
steps-people = Kundinnen und Kunden importieren
steps-note-people = eine Excel- oder CSV-Datei genügt
steps-sender = Einen SMS-Anbieter anschließen
steps-note-sender = das erledigt, wer diesen Dienst betreibt; bis dahin wird das Senden nur simuliert
steps-campaign = Eine Kampagne starten
steps-note-campaign = sie schickt allen einen Link zum Formular
steps-answer = Die erste Antwort erhalten
steps-note-answer = sie erscheint hier innerhalb einer Sekunde
new-import = Empfänger importieren

step-imported = Importiert (noch gespeichert)
step-recipients = Empfänger
step-scheduled = Eingereiht
step-sent = Gesendet
step-delivered = Zugestellt
step-viewed = Aufgerufen
step-opened = Aufrufe des Formulars
step-answered = Beantwortet

bus-prop = Gruppe
nps-parts = Fürsprecher und Kritiker
nps-promoters = Fürsprecher (9–10)
nps-passives = Neutrale (7–8)
nps-detractors = Kritiker (0–6)
nps-all = Alle Bewertungen
answers-n = { $n ->
    [one] { $value } Antwort
   *[other] { $value } Antworten
}
comments-n = { $n ->
    [one] { $value } Kommentar
   *[other] { $value } Kommentare
}
mean = Mittel { $value }
field-removed = nicht mehr im Formular
nps-interval = NPS mit Fehlerspanne
table-of = Vergleich nach { $value }
stores-few = Blass: weniger als 30 Antworten und kein deutlicher Unterschied.
stores-small = Weniger als 30 Antworten
table-note = Das Band ist das 95-%-Intervall.
property-store = Filiale
property-region = Region
property-city = Stadt
property-country = Land
property-channel = Kanal
property-first-name = Vorname
property-last-name = Nachname
stores-property = Vergleichen nach
stores-none = Noch hat kein Formular Filialen oder Gruppen zum Vergleichen. Ergänzen Sie sie in einem Formular.
stores-without = „{ $value }“ hat keine Filialen oder Gruppen zum Vergleichen.
stores-add = Im Formular ergänzen
stores-responses = Antworten
stores-nps = NPS
stores-rest = Im Vergleich zu den übrigen
stores-rest-short = ggü. übrigen
stores-change = Veränderung
stores-satisfied = Zufrieden (4–5)
stores-completed = Abschlussquote
stores-answered = Rücklaufquote
stores-differs = Deutlicher Unterschied
stores-note = Die Abschlussquote gilt für alle Aufrufe des Formulars, die Rücklaufquote für zugestellte Nachrichten.
stores-judged-none = Verglichen wird ab 10 Antworten; die hat noch keine.
stores-chance = Verglichen wird erst ab 10 Antworten: Von { $value } Vergleichen würde der Zufall allein etwa { $what } markieren.
stores-chance-few = Verglichen wird erst ab 10 Antworten: Der Zufall allein würde kaum etwas markieren.
stores-all = Alle { $value } zeigen
stores-alike = Kein deutlicher Unterschied
stores-no-value = Ohne { $value }
stores-none-note = Die letzte Zeile hat die Antworten, die zu keinem davon gehören. Sie werden mit nichts verglichen, und keine Liste zeigt nur diese.
help-rest = Um wie viele Punkte der NPS über oder unter dem der übrigen zusammen liegt.
stores-differing = Auffällige Filialen
stores-none-differs = Keine Filiale weicht von den übrigen oder von der Zeit davor stärker ab, als Zufall es täte.
stores-help-name = Was verglichen wird.
stores-help-responses = Antworten an diesen Tagen.
stores-help-interval = Wo der NPS vermutlich läge, wenn alle geantwortet hätten (95-%-Intervall).
stores-help-differs = „ja“, wo der Unterschied zu den übrigen größer ist, als Zufall es erklärt.
stores-help-change = Um wie viele Punkte der NPS über oder unter dem der Zeit davor liegt.
stores-help-changed = „ja“, wo die Veränderung größer ist, als Zufall es erklärt.
stores-help-month = Der NPS dieses Monats.
stores-months = NPS nach Monaten
stores-months-whole = { $n ->
    [one] Der ganze Monat: Auch Tage außerhalb des gewählten Zeitraums zählen.
   *[other] { $value } ganze Monate: Auch Tage außerhalb des gewählten Zeitraums zählen.
}
stores-tones = Grün liegt über dem NPS des Formulars in diesem Monat, rot darunter: je kräftiger, desto weiter (10, 20 oder 40 Punkte). Blasse Zahlen haben weniger als 30 Antworten.
terms = Was Kritiker sagen und andere nicht
terms-here = Was Kritiker hier sagen und andere nicht
terms-of = { $n ->
    [one] Aus der letzten Antwort mit Text und Note
   *[other] Aus den letzten { $value } Antworten mit Text und Note
}
terms-compared = Verglichen werden die Texte der Kritiker von „{ $value }“ mit allen anderen Antworten auf das Formular, auch denen der übrigen.
terms-none = Nichts sticht über den Zufall hinaus hervor.
terms-detractors = Lesen, was Kritiker geschrieben haben
share = Teilen
share-for = Link gültig für
copy-link = Link kopieren
copied = Kopiert
shares = Geteilte Seiten
shares-note = Wer den Link hat, sieht diese eine Seite mit ihren jeweils neuesten Zahlen, und keine andere.
shares-none = Nichts ist geteilt. Die Übersicht und die Seite jedes Formulars haben an ihrem Ende „Teilen“.
texts-not-shared = Kurze Texte werden auf einer geteilten Seite nicht gezeigt, die neuesten Kommentare schon.
share-made = Kopieren Sie den Link jetzt, er wird nur zehn Minuten lang gezeigt
share-until = bis { $value }
share-withdraw = Zurückziehen
latest-comments = Neueste Kommentare
comments-none = Keine Kommentare an diesen Tagen.
all-comments = Alle Kommentare
all-answers = Alle Antworten
smiley = Smiley
words = Wörter
track-field = Spalte
answers-show = Zeigen
answers-comments = Kommentare
answers-all = Alle Antworten
narrowed-remove = Diesen Filter entfernen
answers-one = Eine Antwort
answers-older = Nächstältere Antwort
answers-person = Person
answers-export-form = Zum Exportieren wählen Sie ein Formular: Jedes Formular hat eigene Fragen.
read-on = Weiterlesen
answers-none = Keine Antworten an diesen Tagen.
answers-no-match = An diesen Tagen passt nichts dazu.

upload = Eine Datei importieren
upload-text = Eine Datei aus Excel oder einem anderen Programm: CSV, XLSX, JSON oder NDJSON. Hier ablegen; gespeichert wird erst, wenn Sie gesehen haben, was darin steht.
upload-file = Datei wählen
upload-campaign = Kampagne
upload-no-campaign = Importieren ohne Versand
upload-go = Datei ansehen
upload-arriving = Die Datei ist unterwegs …
import-file = Datei
file-kind = Die Datei muss CSV, XLSX, JSON oder NDJSON sein. Eine ältere Excel-Datei (.xls) lässt sich in Excel als .xlsx speichern.
file-too-large = Die Datei ist zu groß. Speichern Sie sie als CSV oder teilen Sie sie auf. ({ $value })
file-broken = Die Datei kann nicht gelesen werden. Öffnen Sie sie in Excel, speichern Sie sie als .xlsx und wählen Sie diese Datei. ({ $value })
file-columns = Was in der Datei steht
file-columns-text = Sagen Sie, was jede Spalte ist. Was behalten wird, kann in Nachrichten stehen und Antworten gruppieren.
file-other-sheets = Gelesen wird nur das erste Blatt der Datei, nicht: { $value }. Speichern Sie diese einzeln und importieren Sie sie ebenso.
file-read = Wie die Datei gelesen wurde
file-written = Geschrieben mit
delimiter-comma = Kommas
delimiter-semicolon = Semikolons
delimiter-tab = Tabulatoren
delimiter-bar = senkrechten Strichen
file-examples = Beispiele
file-use = Verwenden als
column-keep = Bei jeder Person behalten
column-skip = Weglassen
column-phone = Telefon
column-docid = Kundennummer
column-both = Telefon und Kundennummer (dann sehen es alle)
column-submitted-at = Beantwortet
column-feedback-id = ID der Antwort
column-created-at = Erstellt
column-updated-at = Geändert
column-batch-id = ID des Imports
column-message-id = ID der Nachricht
column-campaign-id = Kampagne
column-kind = Art
column-status = Status
column-skipped-reason = Warum übersprungen
column-parts = SMS (abgerechnet)
column-encoding = Zeichen
column-sender = Absender
column-provider-ids = IDs des Anbieters
column-provider-code = Code des Anbieters
column-scheduled-at = Geplant für
column-accepted-at = Gesendet
column-delivered-at = Zugestellt
column-viewed-at = Aufgerufen
column-answered-at = Beantwortet
file-country = Nummern ohne Ländervorwahl sind aus
file-no-country = Alle haben eine Ländervorwahl
file-look = Ergebnis zeigen
choose-phone = Wählen Sie die Spalte mit den Telefonnummern.
choose-one-phone = Zwei Spalten sind das Telefon. Wählen Sie eine; die andere kann weggelassen oder behalten werden.
choose-docid = Wählen Sie die Spalte mit den Kundennummern. Wenn es keine gibt, kann das Telefon beides sein.
choose-one-docid = Zwei Spalten sind die Kundennummer. Wählen Sie eine; die andere kann weggelassen oder behalten werden.
file-outlook = Was importiert wird
file-new = Neue Personen
file-known = Schon bekannt
file-known-text = Ihr Telefon und ihre Spalten werden ersetzt.
file-rejected-text = Diese Zeilen werden weggelassen.
merged = Wiederholte Zeilen
file-rows = { $n ->
    [one] { $value } Zeile
   *[other] { $value } Zeilen
}
file-row = Zeile
file-value = Wert in der Datei
file-wrong = Was falsch ist
file-remedy = Was zu tun ist
file-same-phone = { $n ->
    [one] { $value } Zeile hat die Telefonnummer einer Zeile weiter oben, mit einer anderen Kundennummer. Eine Kampagne sendet an jede Nummer einmal.
   *[other] { $value } Zeilen haben die Telefonnummer einer Zeile weiter oben, mit einer anderen Kundennummer. Eine Kampagne sendet an jede Nummer einmal.
}
file-same-phone-rows = Zeilen: { $value }
file-sends-nothing = Damit wird nichts gesendet. Eine Nachricht an diese Personen können Sie danach senden.
file-gone = Diese Datei ist nicht mehr da: Aufgehoben werden die letzten drei Dateien, jede eine Stunde lang. Bitte wählen Sie sie noch einmal.
file-under-way = Diese Datei wird schon importiert. Sie steht gleich in dieser Liste.
errors-first = Das sind die ersten 100. Alle stehen in der Excel-Datei.
import-campaigns = Kampagnen für diese Personen:
import-sent-nothing = Aus diesem Import wurde nichts gesendet.
import-send = Ihnen eine Nachricht senden
import-send-unchanged = { $n ->
    [one] { $value } Person, deren Zeile unverändert ist, gehört nicht dazu: Nehmen Sie für sie in der Kampagne den früheren Import dazu.
   *[other] { $value } Personen, deren Zeilen unverändert sind, gehören nicht dazu: Nehmen Sie für sie in der Kampagne den früheren Import dazu.
}
erased-of-them = davon { $value } gelöscht
erase-waits = Diese Nachrichten sind noch nicht gesendet und werden übersprungen:
erase-waits-first = { $n ->
    [one] { $what }: { $value } Nachricht
   *[other] { $what }: { $value } Nachrichten
}
erase-waits-reminder = { $n ->
    [one] { $what }: { $value } Erinnerung
   *[other] { $what }: { $value } Erinnerungen
}
erase-waits-more = Es können mehr sein: Es warten zu viele, um sie hier alle durchzusehen.
erase-waits-end = Eine Kampagne, in der sonst nichts wartet, endet damit. Nichts davon lässt sich rückgängig machen.
erase-waits-none = Zurzeit wartet keine Nachricht an sie, und es wird keine mehr gesendet. Das lässt sich nicht rückgängig machen.
file-first = Die ersten Personen, wie sie gespeichert werden
file-import = { $n ->
    [one] { $value } Person importieren
   *[other] { $value } Personen importieren
}
file-import-send = { $n ->
    [one] { $value } Person importieren und senden
   *[other] { $value } Personen importieren und senden
}
audit-import-look = Datei hochgeladen
audit-import-view = Hochgeladene Datei angesehen
imports-none = Noch nichts wurde importiert.
import = Import
imported-by = Importiert durch
status = Status
received = Zeilen in der Datei
rejected = Abgelehnt
stored = Gespeichert
created = Angelegt
updated = Geändert
unchanged = Unverändert
superseded = Durch einen späteren Import ersetzt
failed = Fehlgeschlagen
cancelled = Abgebrochen
eta = noch { $value } s
rejected-records = Abgelehnte Zeilen
member = Spalte
do-cancel = Sofort stoppen (nichts mehr senden)
do-retry = Noch einmal versuchen
back-out = Nein, zurück
import-cancel = Import abbrechen
import-retry = Noch einmal versuchen
import-erase = Angelegte Empfänger löschen
import-erasing = Die Empfänger, die dieser Import angelegt hat, werden gelöscht:
sure-import-erase = { $n ->
    [one] Der Empfänger, den dieser Import angelegt hat, wird endgültig gelöscht, es sei denn, ein späterer Import hat ihn geändert. Antworten bleiben mit allem, was darin geschrieben steht, aber ohne die Person und ihre Spalten: Danach führt nichts mehr von der Person zu ihren Antworten. Lesen Sie diese deshalb vorher und löschen Sie, was die Person nennt.
   *[other] Die { $value } Empfänger, die dieser Import angelegt hat, werden endgültig gelöscht, außer wen ein späterer Import geändert hat. Antworten bleiben mit allem, was darin geschrieben steht, aber ohne die Person und ihre Spalten: Danach führt nichts mehr von der Person zu ihren Antworten. Lesen Sie diese deshalb vorher und löschen Sie, was die Person nennt.
}
erased = Gelöscht
do-start = Starten
campaign-review = Prüfen und starten
do-pause = Anhalten
do-resume = Fortsetzen
do-finish = Beenden (Wartendes noch senden)
do-publish = Veröffentlichen
do-delete = Löschen
do-link = Link und QR-Code
do-rotate = Geheimen Schlüssel ersetzen
do-revoke = Widerrufen
sure-cancel = Was noch nicht gesendet ist, wird nie gesendet, und die Kampagne kann nicht weitergehen.
sure-finish = Weitere Importe werden nicht angenommen. Was wartet, wird noch gesendet; danach kann die Kampagne nicht weitergehen.
sure-start = Ab jetzt gehen Nachrichten an echte Telefone. Das lässt sich nicht zurücknehmen.
sure-start-real = Die Nachrichten erreichen echte Telefone und lassen sich nicht zurückholen.
start-unlisted = { $n ->
    [one] { $value } Person hat eine Filiale oder Gruppe, die nicht im Formular steht. Kein Bericht zählt ihre Antwort dafür. Die Seite sagt, welche es ist und wie Sie sie aufnehmen.
   *[other] { $value } Personen haben eine Filiale oder Gruppe, die nicht im Formular steht. Kein Bericht zählt ihre Antworten dafür. Die Seite sagt, welche es sind und wie Sie sie aufnehmen.
}
start-now = { $n ->
    [one] Beginnt sofort: { $value } Nachricht an { $value } Person.
   *[other] Beginnt sofort: { $value } Nachrichten an { $value } Personen.
}
start-later = { $n ->
    [one] { $value } Nachricht an { $value } Person, am { $what }.
   *[other] { $value } Nachrichten an { $value } Personen, die erste am { $what }.
}
start-import = Mit dem Start wird noch nichts gesendet: Wer danach in diese Kampagne importiert wird, bekommt die Nachricht.
start-reminder = Wer nicht antwortet, bekommt dazu eine Erinnerung.
resume-n = { $n ->
    [0] Im Augenblick wartet keine Nachricht.
    [one] { $value } wartende Nachricht wird in ihrem Zeitfenster gesendet.
   *[other] { $value } wartende Nachrichten werden in ihrem Zeitfenster gesendet.
}
resume-reminder-n = { $n ->
    [one] { $value } wartende Erinnerung wird in ihrem Zeitfenster gesendet.
   *[other] { $value } wartende Erinnerungen werden in ihrem Zeitfenster gesendet.
}
resume-import = Wen Sie in diese Kampagne importieren, bekommt die Nachricht.
sure-import-cancel = Was noch nicht gespeichert ist, entfällt. Was gespeichert ist, bleibt.
sure-import-send = Sie bekommen die Nachricht von { $value } auf echte Telefone. Das lässt sich nicht zurücknehmen.
sure-import-send-simulated = Sie bekommen die Nachricht von { $value }. Simuliert: Ihr Absender erreicht keine Telefone.
sure-withdraw = Niemand kann die Seite mehr über diesen Link öffnen. Über einen neuen können Sie sie wieder teilen.
sure-block = Keine Ihrer Kampagnen sendet mehr an diese Nummer, wer immer sie hat, bis Sie sie entsperren.
sure-unblock = An diese Nummer gehen wieder Nachrichten. Entsperren Sie sie nur, wenn die Person darum gebeten hat.
sure-delete = Seine Links schließen endgültig, auch die in schon gesendeten Nachrichten, und seine Kampagnen senden nichts mehr. Was beantwortet wurde, bleibt in den Berichten.
sure-rotate = Der jetzige geheime Schlüssel gilt noch einen Tag.
sure-revoke = Programme mit diesem Schlüssel werden ab jetzt abgewiesen, endgültig.
sure-remove = { $value } wird abgemeldet und kann nicht zurückkommen.

recipients-of-import = Personen, deren jüngste Daten aus diesem Import stammen:
recipients-none = Es gibt noch keine Empfänger. Sie kommen mit Importen.
recipients-column = Suchen
recipients-docid = Kundennummer beginnt mit
recipients-value = Wonach gesucht wird
recipients-whole = Sucht den ganzen Wert; Groß- und Kleinschreibung ist gleich.
recipients-undelivered = Nicht zugestellte Nachrichten
recipients-not-found = Niemand wurde gefunden.
recipients-not-yet = Bisher wurde niemand gefunden.
recipients-no-more = Sonst wurde niemand gefunden.
recipients-looked-to = Durchsucht sind alle bis zur Kundennummer { $value }. Es gibt noch mehr.
recipients-go-on = Weiter suchen
recipient-link = Persönlicher Link
recipient-link-note = Wer ihn öffnet, zählt als Aufruf, und eine Antwort zählt als die der Person.
recipient-test-note = Ein Test mit den Spalten dieser Person. Er ging an eine andere Nummer.
recipient-none = Es gibt keinen Empfänger „{ $value }“.
phone = Telefon
docid = Kundennummer
phone-unknown = Nummer nicht angezeigt: Sie gehört niemandem, der importiert wurde
changed = Geändert
created-at = Erstellt
started-at = Gestartet
finished-at = Beendet
messages = Nachrichten
messages-n = { $n ->
    [one] { $value } Nachricht
   *[other] { $value } Nachrichten
}
messages-none = Keine Nachrichten.
messages-go-on = Keine unter den neuesten. Die nächste Seite sucht weiter zurück.
erase = Löschen
person-export = Alle Daten dieser Person herunterladen
erase-text = Telefonnummer und Spalten sind dann endgültig gelöscht, und es wird nichts mehr gesendet. Antworten bleiben mit allem, was darin geschrieben steht, aber ohne die Person und ihre Spalten: Danach führt nichts mehr von der Person zu ihren Antworten. Lesen Sie diese deshalb vorher und löschen Sie, was die Person nennt. Steht die Person in einer späteren Datei, wird sie wieder angelegt.
erase-now = Endgültig löschen
erase-phone = Alle mit dieser Nummer löschen
erase-phone-text = Telefonnummer und Spalten aller, die diese Nummer haben, sind dann endgültig gelöscht, auch von denen, die hier nicht stehen, und es wird nichts mehr gesendet. Antworten bleiben mit allem, was darin geschrieben steht, aber ohne die Person und ihre Spalten: Danach führt nichts mehr von der Person zu ihren Antworten. Lesen Sie diese deshalb vorher und löschen Sie, was die Person nennt. Stehen sie in einer späteren Datei, werden sie wieder angelegt.
kind-first = Erste Nachricht
kind-reminder = Erinnerung
kind-test = Test

campaign = Kampagne
campaigns-none = Noch keine Kampagne.
campaign-new = Neue Kampagne
campaign-edit = Bearbeiten
campaign-message = Nachricht
campaign-text = Danke für Ihren Besuch! Wie war es? { "{" }link{ "}" }
campaign-waits = Noch wird nichts gesendet: Die Nachricht geht an alle, die für diese Kampagne importiert werden.
waiting-note = Nachrichten, die zu lang sind oder deren Spalte leer ist, werden erst ausgelassen, wenn sie an der Reihe sind. Die Vorschau zählt sie.
campaign-save-first = Erst speichern: Gesendet wird, was gespeichert ist.
campaign-text-note = Muss { "{" }link{ "}" } genau einmal enthalten. Fügen Sie eine Spalte ein, etwa { "{" }{ $value }|Gast{ "}" }: Der Text nach dem Strich steht dort, wo die Spalte leer ist.
campaign-text-example = Vorname
campaign-insert = Einfügen:
campaign-special-note = Eine SMS hat 160 Zeichen; mit einem Sonderzeichen wie ë oder einem Emoji sind es nur 70.
campaign-audience = Wer sie bekommt
audience-import = Personen aus künftigen Importen
audience-keep = Wie gespeichert
audience-also = Personen aus weiteren Importen dazunehmen
campaign-fields = Spalten, die bei jeder Antwort bleiben
campaign-bus-props = Auswerten nach Spalte
campaign-columns = Spalten: Gruppen und was bei den Antworten bleibt
campaign-group-column = Spalte
campaign-group-name = Name in Berichten (leer: wie die Spalte)
campaign-column-other = Weitere Spalten, die eine spätere Datei haben wird (mit Kommas getrennt)
campaign-hours = Uhrzeiten und Tage
campaign-nothing-set = nichts eingestellt
campaign-window = Senden zwischen (leer: jederzeit)
window-from = Von
window-to = Bis
campaign-gap = Wer in den letzten … Tagen angeschrieben wurde, wird ausgelassen
campaign-parts = Maximale Länge (SMS)
campaign-reminder = Erinnerung an alle, die nicht geantwortet haben
campaign-reminder-days = Nach … Tagen
campaign-started-note = Ihre Änderungen gelten für alles, was noch nicht gesendet ist. Formular und Empfänger bleiben.
campaign-form-deleted = Das Formular wurde gelöscht: Was noch wartet, wird nicht gesendet.
campaign-nothing-waits = Im Augenblick wartet keine Nachricht: Ein neuer Text gilt nur für Personen, die Sie noch importieren, und eine neue Erinnerung nur für noch nicht gesendete.
campaign-starts-at = Beginn (leer: sofort)
campaign-delay = Minuten, die nach dem Import gewartet wird
campaign-more = Weitere Einstellungen
campaign-most = Höchstzahl der Nachrichten (leer: keine)
campaign-sample = Nur einen Teil der Personen fragen, in Prozent (leer: alle)
campaign-per-day = Höchstens so viele Nachrichten am Tag je Filiale oder Gruppe
campaign-quota-name = Gruppe der Auswertung
campaign-quota-most = Nachrichten am Tag
campaign-quota-none = Wählen Sie dafür zuerst eine Spalte, nach der ausgewertet wird, und speichern Sie.
campaign-budget = Budget der Kampagne (leer: keine Grenze)
campaign-within = Stunden, nach denen eine Nachricht nicht mehr gesendet wird
campaign-expiry = Tage, die ein Link gilt
day-mon = Mo
day-tue = Di
day-wed = Mi
day-thu = Do
day-fri = Fr
day-sat = Sa
day-sun = So
window-any = jederzeit
window-daily = jeden Tag
window-zone = in der Zeitzone der jeweiligen Person
setting-audience = Wer sie bekommt
setting-window = Gesendet
setting-starts-at = Beginn
setting-delay = Wartet nach dem Import
setting-within = Nicht mehr gesendet nach
setting-gap = Ausgelassen bei Kontakt in den letzten
setting-parts = Längste Nachricht
sms-n = { $value } SMS
setting-most = Höchstens
setting-sample = Anteil der Gefragten
setting-per-day = Höchstens am Tag
setting-budget = Budget
setting-expiry = Links gelten
setting-fields = Spalten, die bei jeder Antwort bleiben
setting-bus-props = Auswertung nach Spalte
setting-reminder = Erinnerung
audience-all = Alle
audience-from = Von { $value }
audience-to = Bis { $value }
audience-batches = { $n ->
    [one] Personen eines Imports
   *[other] Personen aus { $value } Importen
}
reminder-after = { $n ->
    [one] Nach { $value } Tag:
   *[other] Nach { $value } Tagen:
}
minutes-n = { $n ->
    [one] { $value } Minute
   *[other] { $value } Minuten
}
hours-n = { $n ->
    [one] { $value } Stunde
   *[other] { $value } Stunden
}
days-n = { $n ->
    [one] { $value } Tag
   *[other] { $value } Tage
}
cost = Kosten
usage = Kosten
usage-month = Monat
usage-months = Nach Monat
usage-messages = Nachrichten
usage-parts = SMS-Teile
usage-country = Land
usage-senders = Nach Absender, { $value }
usage-countries = Nach Land, { $value }
usage-none = Es wurde noch nichts gesendet.
usage-note = Eine Nachricht zählt an dem Tag, an dem sie gesendet wurde, zum Preis dieses Tages; was der Anbieter ablehnt, kostet nichts. Ein langer Text braucht mehrere SMS-Teile.
usage-no-price = Es ist kein SMS-Preis hinterlegt, deshalb gibt es hier keine Kosten und kein Budget. Wer den Dienst betreibt, kann ihn eintragen.
month-budget = Budget für einen Monat
month-budget-none = Es gibt kein Budget: Alles wird gesendet.
month-budget-note = Was alle Nachrichten eines Monats kosten dürfen. Nachrichten darüber hinaus warten bis zum nächsten Monat, oder bis Sie es erhöhen. Leer: keine Grenze.
budget-amount = Betrag
budget-currency = Währung
budget-of-month = { $value } % des SMS-Budgets dieses Monats sind ausgegeben ({ $what }).
budget-of-campaign = { $value } % des Budgets dieser Kampagne sind ausgegeben ({ $what }).
wait-budget = { $n ->
    [one] { $value } wartet, weil das Budget der Kampagne aufgebraucht ist.
   *[other] { $value } warten, weil das Budget der Kampagne aufgebraucht ist.
}
wait-month-budget = { $n ->
    [one] { $value } wartet, weil das Budget des Monats aufgebraucht ist: bis { $what }, oder bis Sie es erhöhen.
   *[other] { $value } warten, weil das Budget des Monats aufgebraucht ist: bis { $what }, oder bis Sie es erhöhen.
}
wait-send-window = { $n ->
    [one] { $value } wartet bis { $what } Uhr in der Zeitzone der Person.
   *[other] { $value } warten bis { $what } Uhr in der Zeitzone der Personen.
}
wait-first = Die erste wird am { $value } gesendet.
wait-delay = { $n ->
    [one] { $value } wartet noch nach dem Import, bis { $what }.
   *[other] { $value } warten noch nach dem Import, die erste bis { $what }.
}
wait-starts-at = { $n ->
    [one] { $value } wartet auf den Beginn, { $what }.
   *[other] { $value } warten auf den Beginn, { $what }.
}
wait-rate = { $n ->
    [one] { $value } ist als Nächste dran: Der Absender nimmt nur eine begrenzte Zahl in der Sekunde oder am Tag.
   *[other] { $value } sind als Nächste dran: Der Absender nimmt nur eine begrenzte Zahl in der Sekunde oder am Tag.
}
wait-sender-paused = { $n ->
    [one] { $value } wartet, weil der Absender „{ $what }“ gerade nichts annimmt.
   *[other] { $value } warten, weil der Absender „{ $what }“ gerade nichts annimmt.
}
wait-paused = { $n ->
    [one] { $value } Nachricht wartet, weil die Kampagne angehalten ist.
   *[other] { $value } Nachrichten warten, weil die Kampagne angehalten ist.
}
wait-paused-reminder = { $n ->
    [one] { $value } Erinnerung wartet, weil die Kampagne angehalten ist.
   *[other] { $value } Erinnerungen warten, weil die Kampagne angehalten ist.
}
wait-reminder = { $n ->
    [one] { $value } Erinnerung wartet und wird am { $what } gesendet. Wer vorher antwortet, bekommt keine.
   *[other] { $value } Erinnerungen warten, die erste wird am { $what } gesendet. Wer vorher antwortet, bekommt keine.
}
unknown-bus-props = Diese stehen nicht im Formular, also können Berichte sie nicht vergleichen:
unknown-similar = Diese sind vermutlich verschrieben: Die Personen bekommen ihre Nachricht, ihre Antworten zählen aber für keine Gruppe. Berichtigen Sie die Datei und importieren Sie sie noch einmal (wählen Sie in der Kampagne dann auch diesen Import), oder ergänzen Sie die Werte im Formular selbst:
unknown-add = Ins Formular aufnehmen
field-missing = { $n ->
    [one] { $value } Person hat kein „{ $what }“.
   *[other] { $value } Personen haben kein „{ $what }“.
}
field-similar = Meinten Sie „{ $value }“?
column-strange = Die Spalte „{ $value }“ hat bisher niemand.
form-field-nobody = Das Formular fügt „{ $value }“ ein, aber keine dieser Personen hat diese Spalte.
form-field-not-kept = Das Formular fügt „{ $value }“ ein, aber die Kampagne behält diese Spalte nicht: Kreuzen Sie sie unter „Spalten, die bei jeder Antwort bleiben“ an.
ungrouped = Keine Antwort wird für eine Filiale oder Gruppe zählen: Wählen Sie unter „Spalten“ die Spalte „{ $value }“. Nach dem Start lässt sich das nicht mehr ändern.
ungrouped-form = Im Formular stehen noch keine Filialen: Ist die Spalte gespeichert, können Sie ihre Werte auf dieser Seite ins Formular aufnehmen.
special-character = Das Zeichen „{ $value }“ verkürzt eine SMS von 160 auf 70 Zeichen.
test-sent = Ihr Test:
test-status-scheduled = Wartet auf den Versand
test-status-sending = Wird an Ihren SMS-Anbieter übergeben
test-status-accepted = An Ihren SMS-Anbieter übergeben, noch nicht bestätigt
test-status-undelivered = Nicht zugestellt
test-status-failed = Nicht gesendet: Ihr SMS-Anbieter hat sie abgelehnt
test-link-note = Das bekommen Ihre Empfänger. Antworten über den Link eines Tests werden nirgends gespeichert.
failures = Warum Nachrichten nicht ankamen
failure-reason = Grund
failure-no-code = Ihr SMS-Anbieter hat keinen Grund genannt.
failures-most = Das sind die häufigsten Gründe.
failures-partial = Hier ist nur ein Teil der neuesten Nachrichten gezählt. Die Listen hinter den Zahlen enthalten alle.
failures-sealed = Die Nachrichten dieser Kampagne sind gelöscht, und mit ihnen die Gründe.
country-unknown = unbekannt
provider-code-simulated = (simuliert)
provider-code-other = Code { $value } Ihres SMS-Anbieters: Fragen Sie Ihren SMS-Anbieter.
provider-code-off = Das Telefon ist aus oder nicht erreichbar.
provider-code-no-number = Diese Nummer gibt es nicht.
provider-code-no-mobile = Die Nummer empfängt keine SMS, wie etwa ein Festnetzanschluss.
provider-code-no-route = Kein Netz hat sie angenommen.
provider-code-not-taken = Das Netz hat sie nicht angenommen.
provider-code-blocked = Das Netz oder die Person sperrt solche Nachrichten.
provider-code-opted-out = Die Person hat sich bei Ihrem SMS-Anbieter abgemeldet.
provider-code-country = Ihr SMS-Anbieter sendet für Sie nicht in dieses Land.
provider-code-spam = Sie wurde als unerwünschte Werbung ausgefiltert.
provider-code-too-long = Der Text ist zu lang.
provider-code-from = Dieses Land lässt als Absender keinen Namen zu, nur eine Nummer.
provider-code-sender-name = Ihr SMS-Anbieter nimmt diesen Absendernamen nicht an: Lassen Sie ihn dort freigeben.
provider-code-uncertain = Die Antwort Ihres SMS-Anbieters ging verloren: Niemand weiß, ob sie ankam.
test-docid = Kundennummer (freiwillig: setzt die Spalten dieser Person ein)
campaign-test = Test senden
save = Speichern und ansehen
copy = Kopieren
copy-of = Kopie von { $value }
preview = Vorschau
preview-import = Alle Personen einer Datei, die Sie in diese Kampagne importieren, bekommen diese Nachricht.
preview-each = Je etwa { $value } SMS.
preview-example = Beispiel mit Ihren neuesten Personen:
preview-started = Bereits gestartet: Ihre Änderung gilt für Nachrichten, die noch nicht gesendet sind.
preview-waiting = { $n ->
    [0] Gerade wartet keine Nachricht mit diesem Text auf den Versand. Unten steht nur, wie sie aussähe.
    [one] { $value } Nachricht wartet noch auf den Versand.
   *[other] { $value } Nachrichten warten noch auf den Versand.
}
preview-most = Gesendet wird an höchstens { $value } von ihnen.
preview-import-nobody = Die Spalten werden ausgefüllt, sobald Sie Personen haben.
preview-eligible = { $n ->
    [one] { $value } Nachricht
   *[other] { $value } Nachrichten
}
people-most = { $n ->
    [0] niemand
    [one] bis zu { $value } Person
   *[other] bis zu { $value } Personen
}
preview-of = { $n ->
    [one] an { $value } Empfänger
   *[other] an { $value } Empfänger
}
preview-parts = { $value } SMS (abgerechnet)
encoding-gsm7 = Standardzeichen
encoding-ucs2 = Sonderzeichen
preview-chars = { $n ->
    [one] { $value } Zeichen
   *[other] { $value } Zeichen
}
preview-lately = { $n ->
    [one] { $value } dieser Personen hat in den letzten 7 Tagen schon eine Nachricht einer anderen Kampagne bekommen.
   *[other] { $value } dieser Personen haben in den letzten 7 Tagen schon eine Nachricht einer anderen Kampagne bekommen.
}
preview-over-budget = Das kostet mehr, als das Budget der Kampagne hergibt ({ $value }). Was darüber hinausgeht, wartet, bis Sie das Budget erhöhen.
preview-over-month = Das kostet mehr, als vom Budget dieses Monats übrig ist ({ $value }). Was darüber hinausgeht, wartet bis zum nächsten Monat, oder bis Sie das Budget erhöhen.
preview-partial = Von einem großen Empfängerkreis sind hier nur die ersten gezählt. Beim Speichern werden alle gezählt.
preview-nobody = Heute bekäme die Nachricht niemand. Spalten werden ausgefüllt, sobald jemand sie bekommt.
preview-wrong = Bitte korrigieren Sie:
not-saved = Noch nicht gespeichert. Bitte korrigieren Sie:
outdated = Jemand anders hat das geändert, während Sie daran gearbeitet haben. Was Sie eingegeben haben, steht noch hier, ist aber nicht gespeichert. Sehen Sie sich die neuere Fassung an; wenn Sie danach speichern, ersetzt Ihre sie.
outdated-see = Die neuere Fassung in einem neuen Tab ansehen
reminders = Erinnerungen
about = Einstellungen
text = Text
form-report = Zum Bericht
resend-unknown = { $n ->
    [one] Bis zu { $value } unklare Nachricht noch einmal senden
   *[other] Bis zu { $value } unklare Nachrichten noch einmal senden
}
resend-failed = { $n ->
    [one] Bis zu { $value } fehlgeschlagene Nachricht noch einmal senden
   *[other] Bis zu { $value } fehlgeschlagene Nachrichten noch einmal senden
}
resend-undelivered = { $n ->
    [one] Bis zu { $value } nicht zugestellte Nachricht noch einmal senden
   *[other] Bis zu { $value } nicht zugestellte Nachrichten noch einmal senden
}
resend-expired = { $n ->
    [one] Bis zu { $value } abgelaufene Nachricht noch einmal senden
   *[other] Bis zu { $value } abgelaufene Nachrichten noch einmal senden
}
sure-resend-unknown = Wer die erste Nachricht doch bekommen hat, bekommt eine zweite. Fragen Sie, wenn möglich, zuerst den Anbieter: Er weiß, welche er angenommen hat. Wer geantwortet hat, gesperrt oder gelöscht ist, bekommt keine.
sure-resend-failed = Der Anbieter hat sie abgelehnt. Sehen Sie sich zuerst die Gründe an: Was an einer Nummer falsch war, ist es noch. Wer geantwortet hat, gesperrt oder gelöscht ist, bekommt keine.
sure-resend-undelivered = Sie kamen nicht an, und jeder neue Versuch kostet wieder. Nummern, die es nicht mehr gibt, scheitern wieder. Wer geantwortet hat, gesperrt oder gelöscht ist, bekommt keine.
sure-resend-expired = Die Telefone waren zu lange aus oder ohne Netz. Jeder neue Versuch kostet wieder. Wer geantwortet hat, gesperrt oder gelöscht ist, bekommt keine.
do-resend = Noch einmal senden
sender = Absender
sender-next = Fällt er eine Minute lang aus, dann
sender-third = Fällt auch dieser aus, dann
sender-nobody = Niemand: Die Nachrichten warten
sender-countries = Andere Absender je nach Land
sender-countries-note = Länder, die hier nicht stehen, haben den Absender darüber.
sender-country = Land
sender-others-nobody = Niemand: Andere Länder bekommen keine Nachricht
sender-then = dann
sender-others = alle anderen Länder
senders-none = Niemand trägt Nachrichten aus: Wer diesen Dienst betreibt, muss einen SMS-Anbieter anschließen.
sender-test-none = Um sich über diesen Absender einen Test zu schicken, legen Sie eine Kampagne an, die ihn an erster Stelle hat.
status-ok = Nimmt Nachrichten an
status-error = Gestört
status-unattended = Unbesetzt
sender-ok = Alles in Ordnung.
sender-simulated = Simuliert: Es wird nichts verschickt.
sender-paused = Der Anbieter bittet seit { $value }, zu warten. Es wird von selbst wieder versucht; bleibt es so, fragen Sie den Anbieter, wie viele Nachrichten in der Sekunde er annimmt.
sender-paused-by-hand = Seit { $value } von Hand angehalten. Seine Nachrichten warten, bis jemand ihn weitermachen lässt.
sender-paused-other = Weitermachen lässt ihn, wer diesen Dienst betreibt.
sender-unattended = Seit { $value } bedient ihn kein Worker, es wird also nichts gesendet. Wer diesen Dienst betreibt, muss nachsehen, warum: Nachrichten warten und gehen nicht verloren.
sender-never-attended = Kein Worker bedient ihn, es wird also nichts gesendet. Wer diesen Dienst betreibt, muss einen mit diesem Absender starten: Nachrichten warten und gehen nicht verloren.
sender-not-configured = Die Einstellungen des Dienstes kennen diesen Absender nicht mehr, aber Nachrichten warten auf ihn. Wer diesen Dienst betreibt, muss ihn wieder eintragen; oder beenden Sie die Kampagnen, die ihn verwenden.
sender-wrong-password = Der Anbieter lehnt Benutzer oder Passwort ab ({ $value }). Wer diesen Dienst betreibt, muss sie berichtigen: Nachrichten warten und gehen danach von selbst hinaus.
sender-unreachable = Der Anbieter ist nicht zu erreichen ({ $value }). Es wird alle paar Sekunden neu versucht: Nachrichten warten und gehen von selbst hinaus, sobald er wieder da ist.
sender-unsure = Der Anbieter sagt nicht klar, ob er Nachrichten annimmt ({ $value }). Nach Pausen von höchstens zehn Minuten bekommt er je eine; von jeder weiß womöglich niemand, ob sie gesendet wurde.
sender-refuses = Der Anbieter nimmt von diesem Absender keine Nachrichten an ({ $value }). Fragen Sie den Anbieter, was der Code bedeutet: Guthaben, Absendername oder Freigabe. Nachrichten warten, bis eine gelingt.
sender-since = So ist es seit { $value }.
sender-goes-through = So lange gehen seine Nachrichten über { $value } hinaus.
sender-refused = Die meisten der letzten Nachrichten wurden abgelehnt. { $value } Halten Sie die Kampagnen an, lassen Sie den Fehler beheben und schicken Sie sich einen Test; danach kann die Seite der Kampagne die fehlgeschlagenen Nachrichten noch einmal senden.
sender-refused-messages = Die fehlgeschlagenen Nachrichten ansehen
sender-unreported = Seit { $value } kam kein Zustellbericht, obwohl Nachrichten angenommen wurden. Ob sie ankamen, ist nicht bekannt, und niemand bekommt eine Erinnerung. Wer diesen Dienst betreibt, muss den Anbieter fragen, ob er die Adresse für Zustellberichte hat.
sender-unknown = { $n ->
    [one] Von { $value } Nachricht weiß niemand, ob sie gesendet wurde. Sie wird nicht von selbst noch einmal gesendet, damit niemand sie doppelt bekommt. Auf der Seite der Kampagne lassen sie sich noch einmal senden.
   *[other] Von { $value } Nachrichten weiß niemand, ob sie gesendet wurden. Sie werden nicht von selbst noch einmal gesendet, damit niemand eine doppelt bekommt. Auf der Seite der Kampagne lassen sie sich noch einmal senden.
}
sender-unmatched = { $n ->
    [one] { $value } Bericht der letzten Stunde passt zu keiner Nachricht. Bleibt das so, meldet der Anbieter an die falsche Stelle oder schreibt seine Nummern in anderer Form.
   *[other] { $value } Berichte der letzten Stunde passen zu keiner Nachricht. Bleibt das so, meldet der Anbieter an die falsche Stelle oder schreibt seine Nummern in anderer Form.
}
sender-kind = Anbieter
sender-waiting = Es warten
sender-oldest = Die erste davon war fällig
sender-accepted = Letzte Nachricht angenommen
sender-rate = SMS je Sekunde
sender-do-pause = Anhalten
sender-do-resume = Weitermachen lassen
sender-do-retry = Jetzt erneut versuchen
hook-status = Adresse für Zustellberichte
hook-inbound = Adresse für Antworten per SMS
alert-error = Über { $value } gehen keine Nachrichten hinaus.
alert-throttled = Der Anbieter von { $value } bittet zu warten und nimmt nichts an.
alert-unattended = Niemand trägt die Nachrichten von { $value } aus: Sie warten.
alert-unreported = Für { $value } kommen keine Zustellberichte.
alert-refused = Der Anbieter lehnt Nachrichten von { $value } ab.
alert-unknown = { $n ->
    [one] Von { $value } Nachricht weiß niemand, ob sie gesendet wurde.
   *[other] Von { $value } Nachrichten weiß niemand, ob sie gesendet wurden.
}
alert-keys = { $n ->
    [one] { $value } API-Schlüssel läuft in den nächsten 14 Tagen ab.
   *[other] { $value } API-Schlüssel laufen in den nächsten 14 Tagen ab.
}
audit-sender-pause = Absender angehalten
audit-sender-resume = Absender macht weiter
done-sender-resume = Es wird jetzt erneut versucht. Wie es um den Absender steht, sehen Sie unten in einigen Sekunden.

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
status-scheduled = Wartet
status-sending = Wird gesendet
status-accepted = Gesendet
status-delivered = Zugestellt
status-undelivered = Nicht zugestellt
status-expired = Abgelaufen
status-failed = Fehlgeschlagen
status-unknown = Unbekannt
skip-opted-out = Abgemeldet oder gesperrt
skip-erased = Gelöscht
skip-contact-gap = Vor Kurzem angeschrieben
skip-already-answered = Schon geantwortet
skip-duplicate-phone = Telefon kommt doppelt vor
skip-country-not-allowed = Land nicht erlaubt
skip-too-long = Text zu lang
skip-template-field-missing = Spalte des Textes ist leer
skip-too-late = Zu spät
skip-form-deleted = Formular gelöscht
skip-limit-reached = Höchstzahl erreicht
skip-number-type = Art der Nummer nicht erlaubt
skip-not-sampled = Nicht in der Stichprobe
skip-quota = An dem Tag genug gefragt

forms-none-published = Keine veröffentlichten Formulare. Ein neues beginnt als Entwurf und fragt, sobald es veröffentlicht ist.
forms-none-draft = Keine Entwürfe.
forms-none-deleted = Keine gelöschten Formulare.
form-new = Neues Formular
form-title = Titel
form-bus-props = Filialen oder Gruppen zum Vergleichen (eine je Zeile)
form-bus-props-note = Fügen Sie die Namen Ihrer Filialen ein, so wie sie in Ihrer Datei stehen. Eine andere Art von Gruppe beginnt mit ihrem eigenen Namen, etwa „region:Nord“. Oder leer lassen: Die Kampagne ergänzt sie aus Ihrer Datei. Wählen Sie dort die Spalte, nach der ausgewertet wird, und drücken Sie „Ins Formular aufnehmen“.
form-type = Typ
form-label = Frage
form-place = Frage { $value }
form-required = Pflichtfrage
number-scale = Höchster Wert
form-add = Frage hinzufügen
move-up = Nach oben
move-down = Nach unten
form-save = Speichern
form-preview = Vorschau
form-show-if = Nur zeigen, wenn
form-labels = Übersetzungen
form-piping = Persönliche Daten einsetzen, etwa { "{" }store_name|Ihre Filiale{ "}" }
form-options = Antworten zur Auswahl
form-note = Leere Fragen werden nicht gespeichert.
form-removed = Entfernte Fragen ({ $value })
form-restore = Wiederherstellen
form-nps = Würden Sie uns Freunden empfehlen?
form-comment = Was sollten wir wissen?
form-begin = Wonach möchten Sie fragen? Alles lässt sich danach ändern.
form-intro = Text vor der ersten Frage
form-thanks = Text nach der letzten Frage
form-language = Sprache der Fragen
form-language-unsaid = Nicht gewählt
form-language-note = Wählen Sie sie aus, damit Schaltflächen und Skalen in derselben Sprache erscheinen wie die Fragen.
form-add-language = Übersetzen in
form-add-language-do = Sprache hinzufügen
form-missing = { $n ->
    [0] alle Texte sind da
    [one] { $value } Text fehlt
   *[other] { $value } Texte fehlen
}
form-missing-one = fehlt
form-unsaid = Nicht gespeichert, weil noch keine Texte da sind: { $value }
form-publish-missing = Wo ein Text fehlt, erscheint er in der Sprache der Fragen.
form-next = Wie es weitergeht
form-next-text = An diesen Tagen hat niemand das Formular geöffnet. Hängen Sie einen QR-Code in Ihren Filialen aus, oder schicken Sie Ihren Kunden den Link mit einer Kampagne.
form-option = Antwort { $value }
form-option-text = mit Textfeld („Anderes: …“)
form-options-note = Eine eingefügte Liste ergibt je Zeile eine Antwort. Eine geleerte Antwort wird entfernt.
form-add-option = Antwort hinzufügen
form-show-always = Immer zeigen
form-show-answers = mit einer dieser Antworten
form-condition-lost = (eine Frage, die nicht vor dieser steht)
form-links = Links am Ende, etwa Datenschutz und Impressum
form-link-label = Name des Links
form-link-url = Adresse
template-blank = Leeres Formular
template-blank-note = Empfehlung und Kommentar, zum freien Ändern.
template-visit = Nach einem Besuch
template-visit-note = Smileys, Empfehlung, was besser sein könnte, Freundlichkeit, Kommentar.
template-visit-title = Wie war Ihr Besuch?
template-visit-mood = Wie zufrieden waren Sie mit Ihrem Besuch?
template-visit-better = Was sollten wir besser machen?
template-visit-better-choices = Wartezeit | Beratung | Auswahl | Preise | Sauberkeit | Etwas anderes
template-visit-staff = Wie freundlich war unser Team?
template-delivery = Nach einer Lieferung
template-delivery-note = Smileys, was schiefging, Empfehlung, Kommentar.
template-delivery-title = Wie war Ihre Lieferung?
template-delivery-mood = Wie zufrieden sind Sie mit der Lieferung?
template-delivery-wrong = Was ist schiefgegangen?
template-delivery-wrong-choices = Zu spät | Unvollständig | Beschädigt | Falsche Ware | Der Zusteller | Etwas anderes
template-stay = Nach einem Aufenthalt
template-stay-note = Empfehlung, was besser sein könnte, Sauberkeit, Frühstück, Team, Kommentar.
template-stay-title = Wie war Ihr Aufenthalt?
template-stay-better = Was sollten wir besser machen?
template-stay-better-choices = Sauberkeit | Bett | Lärm | Frühstück | WLAN | Preis | Etwas anderes
template-stay-clean = Wie sauber war Ihr Zimmer?
template-stay-breakfast = Wie gut war das Frühstück?
template-stay-staff = Wie freundlich war unser Team?
template-service = Nach einem Serviceeinsatz
template-service-note = Ob es gelöst ist, was noch offen ist, Smileys, Empfehlung, Kommentar.
template-service-title = Wie war unser Service?
template-service-solved = Ist Ihr Problem gelöst?
template-service-solved-choices = Ja | Teilweise | Nein
template-service-open = Was ist noch offen?
template-service-mood = Wie zufrieden waren Sie mit unserem Techniker?
template-one = Eine Frage
template-one-note = Nur die Empfehlung: in zehn Sekunden beantwortet.
template-one-title = Würden Sie uns empfehlen?
template-recommend = Wie wahrscheinlich ist es, dass Sie uns Freunden weiterempfehlen?
template-more = Was sollten wir sonst noch wissen?
template-intro = Es dauert keine Minute. Danke, dass Sie uns helfen, besser zu werden.
template-thanks = Ihre Antworten sind angekommen. Sie helfen uns, besser zu werden.
type-nps = Empfehlung, 0–10
type-happiness = Smileys
type-rating = Skala
type-choice = Einfachauswahl
type-choices = Mehrfachauswahl
type-text = Kurzer Text
type-comment = Kommentar
type-taken-comment = ein Formular kann nur eine Kommentarfrage haben; nehmen Sie hier „Kurzer Text“
type-taken-nps = ein Formular kann nur eine Frage dieses Typs haben
type-taken-happiness = ein Formular kann nur eine Frage dieses Typs haben; nehmen Sie hier „Skala“
people-add = Teammitglied hinzufügen
people-name-wrong = Ein Name hat 1 bis 100 sichtbare Zeichen und beginnt nicht wie ein Schlüssel mit fk_.
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
password-common = Dieses Passwort gehört zu denen, die zuerst ausprobiert werden. Bitte wählen Sie ein selteneres, zum Beispiel mehrere Wörter.
password-name = Ein Passwort muss mehr sein als die Namen der Person und des Unternehmens.
password-same = Das neue Passwort ist das bisherige. Bitte wählen Sie ein anderes.
password-must = Ihr Passwort hat jemand anderes gesetzt. Bitte wählen Sie eines, das nur Sie kennen; dann geht es weiter.
password-of-other = Bei der nächsten Anmeldung wird ein eigenes gewählt.
password-note = Alle Ihre Sitzungen enden, und Sie melden sich neu an.
own-account = Ihre Anmeldung
sessions = Wo Sie angemeldet sind
session-since = angemeldet seit { $value }
session-own = dieser Browser
session-unknown = Unbekannter Browser
session-end = Dort abmelden
sessions-end = Überall sonst abmelden
sessions-note = Kennen Sie eine dieser Anmeldungen nicht, melden Sie sich dort ab und ändern Sie Ihr Passwort.
second-factor = Zweiter Faktor
second-factor-off = Sie melden sich nur mit Ihrem Passwort an. Mit einem zweiten Faktor wird beim Anmelden auch ein Code aus einer App auf Ihrem Telefon verlangt.
second-factor-on = Beim Anmelden wird auch ein Code aus der App auf Ihrem Telefon verlangt.
second-factor-set-up = Zweiten Faktor einrichten
second-factor-see = Ersatzcodes, Ausschalten
second-factor-demanded = Ihr Unternehmen verlangt von allen einen zweiten Faktor. Bitte richten Sie Ihren ein; dann geht es weiter.
second-factor-unavailable = Ein zweiter Faktor braucht die Einstellung FEEDBACK_PEPPER; zuständig ist, wer diesen Dienst betreibt.
second-factor-app = Installieren Sie auf Ihrem Telefon eine Authenticator-App, zum Beispiel Google Authenticator oder Microsoft Authenticator, und scannen Sie damit diesen Code.
second-factor-key = Falls das Scannen nicht geht, tippen Sie diesen Schlüssel in die App:
second-factor-qr = Der Schlüssel als QR-Code
second-factor-confirm = Tippen Sie dann die sechs Ziffern ein, die die App zeigt
second-factor-wrong = Dieser Code ist falsch oder wurde schon benutzt. Bitte geben Sie den neuesten ein.
second-factor-turn-on = Einschalten
second-factor-turn-off = Ausschalten
second-factor-take = Zweiten Faktor entfernen
sure-second-factor = { $value } meldet sich dann nur mit dem Passwort an, bis ein neuer zweiter Faktor eingerichtet ist. Sind Sie sicher, dass die Bitte wirklich von dieser Person kommt?
second-step = Bestätigen Sie, dass Sie es sind
second-step-code = Code aus Ihrer App
second-step-note = Haben Sie Ihr Telefon nicht zur Hand, geben Sie einen Ihrer Ersatzcodes ein.
recovery-codes = Ihre Ersatzcodes
recovery-codes-note = Sie werden nur jetzt angezeigt. Ohne Telefon gilt jeder von ihnen einmal anstelle eines Codes aus der App. Bewahren Sie sie dort auf, wo nur Sie sie finden.
recovery-codes-kept = Ich habe sie aufbewahrt
recovery-codes-left = { $n ->
    [one] { $value } Ersatzcode ist noch übrig.
   *[other] { $value } Ersatzcodes sind noch übrig.
}
factor-is-free = Alle entscheiden selbst, ob sie einen zweiten Faktor benutzen.
factor-is-demanded = Alle brauchen einen zweiten Faktor. Wer keinen hat, richtet ihn vor allem anderen ein.
factor-demand-on = Zweiten Faktor von allen verlangen
factor-demand-off = Jeder Person überlassen
role = Rolle
role-viewer = Lesen
role-editor = Bearbeiten
role-admin = Verwalten
roles-note = Wer die Rolle „Lesen“ hat, sieht alle Berichte. Mit „Bearbeiten“ legt man auch Formulare, Kampagnen und Importe an. Mit „Verwalten“ kümmert man sich auch um Personen und Schlüssel.
set-role = Rolle ändern
set = Speichern
remove = Entfernen
keys-none = Es gibt noch keine Schlüssel.
key-made = Der geheime Schlüssel wird nur jetzt angezeigt
key-add = Schlüssel erstellen
scopes = Rechte
scope-import = Empfänger importieren und nachschlagen
scope-report = Berichte und Antworten lesen
scope-form = Formulare ändern und Antworten löschen
scope-link = Links erstellen
scope-send = Kampagnen steuern und senden
scope-audit = Protokoll lesen
scope-retention = Festlegen, wie lange Daten bleiben
last-sign-in = zuletzt angemeldet { $value }
no-sign-in = nicht angemeldet, soweit das Protokoll zurückreicht
key-made-at = erstellt { $value }
last-used = zuletzt benutzt { $value }
never-used = nie benutzt
revoked-at = widerrufen { $value }
key-name-note = Freiwillig: wer den Schlüssel benutzt, etwa die Kasse in Berlin
key-name-wrong = Ein Name hat 1 bis 80 sichtbare Zeichen.
key-scopes-wrong = Wählen Sie mindestens ein Recht.
key-last-day = Letzter Tag
key-last-day-note = Freiwillig: Nach diesem Tag wird der Schlüssel abgelehnt. 14 Tage vorher werden Sie erinnert.
key-last-day-wrong = Der letzte Tag ist heute oder später.
key-networks = Nur von
key-networks-note = Freiwillig: Adressen oder Netze, von denen aus der Schlüssel benutzt werden darf, durch Kommas getrennt. Von anderswo wird er abgelehnt.
key-networks-wrong = Das sind keine Adressen oder Netze wie 203.0.113.7 oder 203.0.113.0/24.
key-networks-of = nur von { $value }
key-ends = läuft ab { $value }
key-ended = abgelaufen { $value }
key-ends-soon = Was diesen Schlüssel benutzt, wird danach abgelehnt. Erstellen Sie rechtzeitig einen neuen, und widerrufen Sie diesen, sobald ihn nichts mehr benutzt.
erased-person = eine gelöschte Person
access = Wer Zugriff hatte
access-on = Wer am { $value } Zugriff hatte
access-note = Alle, die an diesem Tag irgendwann etwas von Ihrem Konto öffnen konnten.
access-day = Tag
access-since = Seit
access-until = Bis
access-by = durch { $value }
access-before-log = vor Beginn des Protokolls
access-page = Seite
access-none = Keine.
access-more-shares = Es wurden mehr Seiten geteilt, als hier Platz haben. Das Protokoll hat sie alle.
access-incomplete = Das Protokoll beginnt später als dieser Tag. Wer bis dahin entfernt war oder eine andere Rolle hatte, steht nicht hier.
access-unknown = Was diese Seite nicht wissen kann
access-unknown-log = Wer vor Beginn des Protokolls Zugriff bekam oder entfernt wurde.
access-unknown-outcome = Ist nicht bekannt, was aus einer Änderung wurde, gilt sie als geschehen, wenn sie Zugriff gab, und als nicht geschehen, wenn sie ihn nahm.
access-unknown-servers = Wer die Server, die Datenbank oder eine Sicherung hat. Das weiß Ihr Betreiber.
access-unknown-secrets = Wem jemand ein Passwort, das Geheimnis eines Schlüssels oder den Link einer geteilten Seite gab.
audit-none = Im Protokoll steht nichts dergleichen.
audit-since = Das Protokoll reicht bis { $value } zurück.
audit-zone = Uhrzeiten gelten in der Zeitzone { $value }.
audit-note = Was Personen und API-Schlüssel hier geändert haben, wer sich angemeldet hat oder abgelehnt wurde, jeder Export und wessen Telefonnummer vollständig gezeigt wurde; auch über die Befehlszeile.
audit-command-line = Befehlszeile
audit-by-key = API-Schlüssel { $value }
audit-download = Herunterladen (NDJSON)
audit-audit-export = Protokoll exportiert
audit-answers-export = Antworten exportiert
audit-answers-read = Antworten gelesen
audit-recipients-read = Liste der Empfänger gelesen
audit-messages-read = Liste der Nachrichten gelesen
audit-recipients-export = Empfänger exportiert
audit-messages-export = Nachrichten exportiert
audit-usage-export = Kosten exportiert
audit-stores-export = Vergleich der Filialen exportiert
audit-import-export = Fehler eines Imports exportiert
audit-campaign-delete = Kampagne gelöscht
audit-campaign-resend = Nachrichten noch einmal gesendet
audit-feedback-erase = Antwort gelöscht
audit-setting-replace = Einstellungen für Nachrichten gespeichert
audit-person-link = Link zur Wahl eines Passworts erstellt
audit-branding-set = Branding gespeichert
audit-campaign-create = Kampagne erstellt
audit-campaign-replace = Kampagne gespeichert
audit-campaign-test = Testnachricht angefordert
audit-campaign-start = Kampagne gestartet
audit-campaign-pause = Kampagne angehalten
audit-campaign-resume = Kampagne fortgesetzt
audit-campaign-finish = Kampagne nimmt keine Importe mehr an
audit-campaign-cancel = Kampagne endgültig gestoppt
audit-form-create = Formular erstellt
audit-form-replace = Formular gespeichert
audit-form-publish = Formular veröffentlicht
audit-form-delete = Formular gelöscht
audit-form-try = Formular ausprobiert
audit-form-sheet = Links für einen Bogen erstellt
audit-link-delete = Link gelöscht
audit-form-link = Link erstellt
audit-import-upload = Datei importiert
audit-import-cancel = Import abgebrochen
audit-import-retry = Import noch einmal versucht
audit-import-erase = Löschen der Empfänger eines Imports begonnen
audit-key-create = API-Schlüssel erstellt
audit-key-rotate = Geheimer Schlüssel eines API-Schlüssels ersetzt
audit-key-revoke = API-Schlüssel widerrufen
audit-password-change = Passwort geändert
audit-person-add = Person hinzugefügt
audit-person-role = Rolle geändert
audit-person-password = Passwort einer Person gesetzt
audit-person-remove = Person entfernt
audit-session-end = Sitzung beendet
audit-session-end-others = Alle anderen Sitzungen beendet
audit-second-factor-set = Zweiter Faktor eingerichtet
audit-second-factor-remove = Zweiter Faktor ausgeschaltet
audit-person-second-factor = Zweiter Faktor einer Person entfernt
audit-account-factor-on = Zweiter Faktor von allen verlangt
audit-account-factor-off = Zweiter Faktor jeder Person überlassen
audit-recipient-export = Alle Daten einer Person exportiert
audit-recipient-erase = Empfänger gelöscht
audit-account-name = Name des Unternehmens geändert
audit-account-time-zone = Zeitzone geändert
audit-account-retention = Aufbewahrung von Daten festgelegt
audit-share-create = Seite geteilt
audit-share-withdraw = Geteilte Seite zurückgezogen
audit-suppression-add = Nummer gesperrt
audit-suppression-remove = Nummer entsperrt
audit-sign-in-password = Anmeldung mit Passwort
audit-sign-in-code = Anmeldung mit Code
audit-sign-in-link = Anmeldung mit Link
audit-sign-in-provider = Anmeldung über den Anbieter der Firma
audit-session-sign-out = Abgemeldet
audit-recipient-view = Telefonnummer angesehen
audit-recipient-read = Person ohne Telefonnummer angesehen
audit-refusals = { $n ->
    [one] erster Versuch innerhalb einer Stunde
   *[other] { $value } Versuche innerhalb einer Stunde
}
audit-wrong = abgelehnt: falsches Passwort oder falscher Code
audit-kind-sign-in = Anmeldungen
audit-kind-person = Personen
audit-kind-key = API-Schlüssel
audit-kind-setting = Einstellungen
audit-kind-form = Formulare, Links und geteilte Seiten
audit-kind-campaign = Kampagnen und Importe
audit-kind-recipient = Empfänger und Antworten
audit-kind-export = Exporte und gelesene Listen
audit-about = Verlauf
audit-all = Alles anzeigen
audit-stored = Dieser Empfänger ist gespeichert:
audit-gone = Unter dieser Kundennummer ist niemand gespeichert. Was mit dem Empfänger gemacht wurde, solange er gespeichert war, steht weiterhin hier.
audit-changes = { $n ->
    [one] { $value } Änderung
   *[other] { $value } Änderungen
}
audit-before = vorher
audit-after = nachher
audit-nothing = nichts
audit-more = { $n ->
    [one] Eine weitere Änderung ist nicht aufbewahrt.
   *[other] { $value } weitere Änderungen sind nicht aufbewahrt.
}
audit-yes = ja
audit-no = nein
member-name = Name
member-text = Text
member-form-id = Formular
member-sender = Absender
member-audience = Wer sie bekommt
member-audience-fields = mit den Spalten
member-on-import = Personen aus Importen für die Kampagne
member-batch-ids = Importe
member-created-from = gespeichert ab
member-created-to = gespeichert bis
member-track-fields = Spalten, die bei jeder Antwort bleiben
member-bus-props-from = Antworten nach Spalte ausgewertet
member-link-expires-after-days = Tage, die ein Link gilt
member-send-window = Sendezeit
member-from = von
member-to = bis
member-days = Tage
member-send-within-hours = Stunden, nach denen eine Nachricht nicht mehr gesendet wird
member-contact-gap-days = Tage seit der letzten Nachricht an dieselbe Person
member-max-parts = Höchstzahl der SMS je Nachricht
member-max-messages = Höchstzahl der Nachrichten
member-sample = Anteil der Personen, die gefragt werden
member-per-day = Höchstzahl der Nachrichten am Tag
member-budget = Budget
member-month-budget = Budget für einen Monat
member-amount = Betrag
member-currency = Währung
member-starts-at = Beginn
member-delay-minutes = Minuten, die nach dem Import gewartet wird
member-reminder = Erinnerung
member-after-days = Tage bis dahin
member-title = Titel
member-intro = Text vor der ersten Frage
member-thanks = Text nach der letzten Frage
member-labels = in anderen Sprachen
member-intro-labels = Text vor der ersten Frage, in anderen Sprachen
member-thanks-labels = Text nach der letzten Frage, in anderen Sprachen
member-language = Sprache
member-links = Links am Ende
member-piping = Persönliche Daten eingesetzt
member-bus-props = Filialen oder Gruppen
member-fields = Fragen
member-label = Text
member-type = Typ
member-required = Pflicht
member-options = Antworten
member-options-text = mit Textfeld
member-show-if = nur gezeigt, wenn
member-key = Frage
member-in = beantwortet mit
member-logo = Logo
member-color = Farbe
member-stop-words = Wörter, mit denen man sich abmeldet
member-stop-reply = Antwort an Abgemeldete
member-help-reply = Antwort an alle, die um Hilfe bitten
member-min-gap-days = Tage zwischen zwei Nachrichten an dieselbe Person
member-answers-days = Tage, die Antworten bleiben
member-visits-days = Tage, die Besuche bleiben
member-messages-days = Tage, die Nachrichten bleiben
member-audit-days = Tage, die das Protokoll bleibt
member-time-zone = Zeitzone
audit-erased-with = Wer sie hatte, wurde mit den Empfängern eines Imports gelöscht.
member-erased = Gelöscht
audit-done = erledigt
audit-refused = abgelehnt: nicht möglich
audit-forbidden = abgelehnt: keine Berechtigung
audit-failed = fehlgeschlagen
audit-unknown = nicht bekannt
when = Wann
who = Wer
what = Was
to-what = Objekt
from-where = IP-Adresse
came-to = Ergebnis

export = CSV exportieren
xlsx-export = Nach Excel exportieren
xlsx-about = Über diese Datei
xlsx-key = Name für Programme
xlsx-meaning = Bedeutung
xlsx-made = Exportiert
xlsx-field = Kam mit dem Import oder dem Link
xlsx-text-beside = Was zu dieser Auswahl geschrieben wurde
xlsx-low = NPS, untere Grenze
xlsx-high = NPS, obere Grenze
xlsx-yes = ja
links = Links und QR-Codes
links-none = Dieses Formular hat noch keine Links außer denen in Kampagnen.
link-new = Neuer Link
link-create = Link erstellen
link-code = QR-Code
link-unnamed = Ohne Namen
link-group-note = Ohne Auswahl zählen die Antworten über diesen Link für keine Filiale.
link-name-note = Nur Sie sehen ihn, etwa „Kassenbon“ oder „Plakat am Eingang“.
link-kiosk = Viele antworten am selben Gerät oder im selben Netz, etwa auf einem Tablet in der Filiale
sure-delete-link = Wer ihn öffnet, sieht, dass das Formular geschlossen ist. Antworten, die über ihn kamen, bleiben.
sheet-of = Ein Link je { $value }
sheet-text = { $n ->
    [one] { $value } Eintrag. Sein Link zählt die Antworten für ihn; drucken Sie den QR-Code und hängen Sie ihn dort auf.
   *[other] { $value } Einträge, jeder mit einem eigenen Link, der die Antworten für ihn zählt; drucken Sie die QR-Codes und hängen Sie jeden dort auf, wo er hingehört.
}
sheet-open = QR-Codes drucken
sheet-missing = { $n ->
    [one] { $value } Link fehlt noch.
   *[other] { $value } Links fehlen noch.
}
sheet-make = Fehlende Links erstellen
sheet-print = Drucken Sie diese Seite mit dem Browser. Die Links bleiben dieselben, so oft Sie sie öffnen.
sheet-print-now = Drucken
form-try = Ausprobieren
form-try-note = Antworten über diesen Link werden nirgends gespeichert.
form-try-scan = Öffnen Sie ihn hier, oder scannen Sie den Code mit dem Telefon.
link-made = Ein Link zum Formular
link-note = Wer ihn öffnet, sieht das Formular. Auch der Code darunter führt dorthin und lässt sich drucken.
link-this-computer = Diese Adresse öffnet sich nur auf diesem Computer, nicht auf Telefonen. Bitten Sie den Betreiber, die öffentliche Adresse des Dienstes einzustellen, bevor Sie etwas drucken oder verschicken.
link-this-network = Diese Adresse öffnet sich nur in Ihrem eigenen Netz, nicht auf den Telefonen der Kunden. Bitten Sie den Betreiber, die öffentliche Adresse des Dienstes einzustellen, bevor Sie etwas drucken oder verschicken.
link-qr = Der Link als QR-Code
link-counts = Zählt für { $value }
link-personal = Er ist für bestimmte Personen: Seine Adresse sieht, wer die Rolle „Bearbeiten“ hat.
link-svg = Als SVG herunterladen
link-png = Als PNG herunterladen
suppressions = Sperrliste
recipient-blocked = Diese Nummer bekommt keine Nachrichten. Gesperrt seit:
suppressions-none = Niemand hat sich abgemeldet, und keine Nummer wurde von Hand gesperrt.
suppression-source = Wie
suppression-change = Nummer sperren oder entsperren
suppression-add = Nummer sperren
suppression-remove = Entsperren
gap = Nicht zu oft
gap-days = Tage zwischen zwei Nachrichten an dieselbe Person
gap-note = Das gilt für alle Ihre Kampagnen zusammen: Wer vor weniger Tagen eine Nachricht bekam, bekommt keine und zählt unter „Vor Kurzem angeschrieben“. 0 heißt: keine Grenze. Erinnerungen und Tests zählen nicht. Eine Kampagne kann mehr Tage verlangen.
suppressed-inbound = Durch eine SMS
suppressed-provider = Durch den Anbieter
suppressed-page = Auf der Formularseite
suppressed-api = Von Hand eingetragen

branding = Branding
branding-note = Für die Seiten hinter Ihren Links: Wer einen öffnet, sieht, von wem er ist. Leere Felder lassen den Standard stehen.
branding-name = Ihr Name, wie Ihre Kunden ihn kennen
branding-color = Farbe
branding-language = Sprache von Formularen, die keine eigene nennen
branding-default = Standard
branding-logo = Logo (PNG, JPEG, WebP oder SVG, höchstens 100 kB)
branding-no-logo = Logo entfernen
branding-noscript = Ein Logo auszuwählen braucht JavaScript; alles andere geht ohne.
branding-large = Das Logo hat mehr als 100 kB.
branding-preview-note = Ein neues Logo erscheint hier, sobald es gespeichert ist.
branding-save = Speichern
language-en = Englisch
language-de = Deutsch
language-fr = Französisch

# Seiten hinter Links.
public-trial = Sie probieren dieses Formular aus: Was Sie hier antworten, wird nirgends gespeichert.
public-required = (Pflichtfeld)
public-error = Fehler:
public-check = Bitte prüfen Sie Ihre Antworten
public-busy = Gerade antworten zu viele Menschen auf einmal
public-busy-text = Ihre Antworten sind noch nicht gesendet. Alles, was Sie eingegeben haben, steht unten: Bitte warten Sie einen Moment und senden Sie es noch einmal.
public-enough = Aus Ihrem Netz sind schon viele Antworten gekommen
public-enough-text = Ihre Antworten sind noch nicht gesendet; spätestens in einer Stunde ist wieder Platz. Alles, was Sie eingegeben haben, steht unten: Bitte senden Sie es später noch einmal.
public-unsaved = Wir konnten Ihre Antworten gerade nicht speichern
public-unsaved-text = Alles, was Sie eingegeben haben, steht unten: Bitte warten Sie einen Moment und senden Sie es noch einmal.
public-send = Feedback senden
public-stop = Keine Nachrichten mehr
public-stop-sure = Möchten Sie von diesem Absender keine Nachrichten mehr erhalten?
public-stop-yes = Ja, keine Nachrichten mehr
public-stop-text = Sie erhalten von diesem Absender keine Nachrichten mehr. Sie können diese Seite jetzt schließen.
public-unstopped = Bitte antworten Sie mit STOP
public-unstopped-text = Ihre Nummer ist hier gelöscht. Darum kann diese Seite keine Nachrichten an sie beenden. Antworten Sie auf die Nachricht mit STOP, dann bekommen Sie keine mehr.
public-thanks = Vielen Dank
public-thanks-text = Ihr Feedback ist angekommen. Sie können diese Seite jetzt schließen.
public-nothing = Hier ist kein Formular
public-nothing-text = Vielleicht ist der Link unvollständig. Bitte prüfen Sie, ob er ganz da ist, oder fragen Sie, wer ihn Ihnen geschickt hat.
public-closed = Über diesen Link kann nicht mehr geantwortet werden
public-closed-text = Wenn Sie schon geantwortet haben: vielen Dank, Ihre Antworten sind angekommen. Wenn nicht, ist das Formular inzwischen geschlossen.
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
public-other = Bitte angeben
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

# Warum die API etwas nicht annahm, nach ihrem Code und, wo es dabeisteht, nach dem, was falsch war. `$value` ist ihr eigener
# Satz, `$high` die letzte Zahl darin, `$low` die davor.
refused-invalid-parameter = Ein Wert in der Adresse ist ungültig.
refused-invalid-json = Das ist nicht das erwartete JSON („{ $value }“).
refused-invalid-csv = Das ist nicht das erwartete CSV („{ $value }“).
refused-invalid-form = Die Seite ist nicht so angekommen, wie sie ist. Bitte öffnen Sie sie neu und wiederholen Sie es.
refused-unauthenticated = Bitte melden Sie sich an.
refused-forbidden = Ihre Rolle erlaubt das nicht, oder die Seite ist veraltet. Bitte öffnen Sie die Seite neu oder wenden Sie sich an die Person, die das Konto verwaltet.
refused-role = Ihre Rolle („{ $value }“) erlaubt das nicht. Bitte wenden Sie sich an die Person, die das Konto verwaltet.
refused-not-found = Diese Seite gibt es nicht, oder was sie zeigte, wurde gelöscht.
refused-method-not-allowed = Das geht unter dieser Adresse nicht.
refused-body-too-slow = Die Daten kamen zu langsam an.
refused-form-not-published = Das Formular ist nicht veröffentlicht.
refused-form-transition = Der Status des Formulars erlaubt das nicht.
refused-form-in-use = Das Formular ist veröffentlicht; worauf seine Links, Antworten und Berichte beruhen, kann nicht geändert werden.
refused-upgrade-unfinished = Das geht erst, wenn die Aktualisierung dieses Dienstes abgeschlossen ist (feedback migrate finish).
refused-campaign-transition = Der Status der Kampagne erlaubt das nicht.
refused-campaign-not-running = Die Kampagne läuft nicht.
refused-batch-finished = Der Import ist schon darüber hinaus.
refused-idempotency-in-flight = Dieselbe Anfrage ist noch in Arbeit.
refused-link-gone = Er wurde schon benutzt, ist abgelaufen oder wurde zurückgezogen. Bitte lassen Sie sich einen neuen geben.
refused-precondition-failed = Es wurde inzwischen geändert.
refused-body-too-large = Das ist zu groß.
refused-too-many-records = Das sind zu viele Datensätze auf einmal.
refused-unsupported-media-type = Eine Datei dieser Art wird hier nicht angenommen.
refused-validation-failed = Etwas in den Daten ist falsch; nichts wurde gespeichert.
refused-idempotency-key-reused = Unter diesem Schlüssel kam schon eine andere Anfrage.
refused-too-many-track-fields = Ein Link hat höchstens 6 Tracking-Felder.
refused-sender-unknown = Diesen Absender gibt es nicht.
refused-sender-not-allowed = Diesen Absender darf das Konto nicht benutzen.
refused-public-url-local = Die Links würden sich nur auf diesem Rechner öffnen lassen. Zuerst muss die öffentliche Adresse des Dienstes eingestellt werden.
refused-rate-limited = Das waren zu viele Versuche. Bitte warten Sie einen Moment.
refused-internal = Bei uns ist etwas schiefgegangen. Bitte versuchen Sie es später noch einmal.
refused-unavailable = Etwas, das dafür gebraucht wird, steht gerade nicht bereit. Bitte versuchen Sie es gleich noch einmal.
refused-busy = Gerade ist zu viel auf einmal zu tun. Bitte versuchen Sie es gleich noch einmal.
refused-missing = Das fehlt.
refused-wrong-type = Das ist nicht die richtige Art von Wert.
refused-blank = Das ist leer.
refused-too-long = Das ist zu lang: höchstens { $high }.
refused-too-many = Das sind zu viele: höchstens { $high }.
refused-malformed = Das ist nicht geschrieben, wie es sein soll ({ $value }).
refused-malformed-text = Muss { "{" }link{ "}" } genau einmal enthalten, mit Leerzeichen davor und danach. Zu jedem { "{" } gehört ein { "}" }.
refused-malformed-bus-props = Bei „{ $value }“ fehlt der Name vor oder nach dem Doppelpunkt.
refused-malformed-color = Schreiben Sie eine Farbe wie #2c4cc4.
refused-malformed-logo = Wählen Sie ein Bild: PNG, JPEG, WebP oder SVG ohne Skripte.
refused-malformed-phone = { refused-phone-invalid }
refused-too-long-logo = { branding-large }
refused-too-many-logo = Die Zeichnung wiederholt ihre Teile, bis es mehr als { $high } sind. Wählen Sie eine einfachere.
refused-blank-label = Schreiben Sie hier den Text, oder leeren Sie auch seine Übersetzungen.
refused-blank-title = Geben Sie dem Formular einen Titel.
refused-missing-options = Fügen Sie mindestens eine Antwort hinzu.
refused-missing-language = Wählen Sie die Sprache der Fragen.
refused-missing-in = Wählen Sie mindestens eine Antwort.
refused-malformed-url = Sie muss mit https:// beginnen.
refused-duplicate-type = Ein Formular hat eine Frage dieses Typs.
refused-duplicate-text = Eine Antwort einer Frage kann ein Textfeld haben.
refused-control-character = Darin steht ein Zeichen, das nicht gespeichert werden kann.
refused-duplicate = Das steht zweimal da.
refused-unknown-member = Das ist hier nicht bekannt.
refused-unknown-type = Diese Art von Frage geht hier nicht.
refused-unknown-id = Das gibt es nicht mehr.
refused-reserved = Dieser Name ist dem Dienst vorbehalten.
refused-out-of-range = Geben Sie eine ganze Zahl von { $low } bis { $high } ein.
refused-wrong-type-amount = Geben Sie einen Betrag ein, etwa 500 oder 99,50.
refused-out-of-range-amount = Geben Sie einen Betrag ein, etwa 500 oder 99,50.
refused-not-offered-budget = Nicht jeder Absender der Kampagne hat einen Preis in dieser Währung; niemand wüsste, was ausgegeben ist.
refused-not-offered-month-budget = Nicht alle Ihre Absender haben einen Preis in dieser Währung; niemand wüsste, was ausgegeben ist.
refused-not-offered = Das steht nicht zur Wahl.
refused-unknown-key = Keine Frage davor passt dazu.
refused-retired = Diese Frage wird nicht mehr gestellt.
refused-hidden = Diese Frage wird bei den übrigen Antworten nicht gestellt.
refused-type-changed = Die Art einer Frage kann nach dem Veröffentlichen nicht geändert werden.
refused-scale-changed = Die Skala einer Frage kann nach dem Veröffentlichen nicht geändert werden.
refused-bus-prop-changed = Ein Merkmal kann nach dem Veröffentlichen nicht umbenannt werden.
refused-made-required = Eine freiwillige Frage kann nach dem Veröffentlichen nicht zur Pflicht werden.
refused-not-an-object = Das sind keine Angaben zu einer Person.
refused-docid-missing = Die Kundennummer fehlt.
refused-docid-invalid = Die Kundennummer ist leer, zu lang oder enthält ein Zeichen, das nicht gespeichert werden kann.
refused-docid-duplicate = Dieselbe Kundennummer steht weiter oben in der Datei. Jene Zeile gilt.
refused-phone-missing = Die Telefonnummer fehlt.
refused-phone-invalid = Schreiben Sie die Nummer mit Ländervorwahl: +49151…
refused-phone-invalid-damaged = Excel hat diese Nummer gekürzt, etwa zu 4,9E+11: Die letzten Ziffern sind verloren.
refused-phone-invalid-no-digit = Das ist keine Telefonnummer.
refused-phone-invalid-too-short = Diese Nummer hat zu wenige Ziffern.
refused-phone-invalid-too-long = Diese Nummer hat zu viele Ziffern.
refused-phone-invalid-other = Das ist keine gültige Telefonnummer.
refused-docid-invalid-damaged = { refused-phone-invalid-damaged }
refused-docid-invalid-no-digit = { refused-phone-invalid-no-digit }
refused-docid-invalid-too-short = { refused-phone-invalid-too-short }
refused-docid-invalid-too-long = { refused-phone-invalid-too-long }
remedy-not-an-object = Fragen Sie, wer die Datei erstellt hat: Zu jeder Person gehören Namen und Werte.
remedy-docid-missing = Tragen Sie die Kundennummer ein, oder wählen Sie eine andere Spalte als Kundennummer.
remedy-docid-invalid = Tragen Sie eine Kundennummer mit höchstens 128 Zeichen ein.
remedy-docid-invalid-damaged = { remedy-phone-invalid-damaged }
remedy-docid-duplicate = Nichts, wenn es dieselbe Person ist. Sonst geben Sie jeder Person eine eigene Kundennummer.
remedy-phone-missing = Tragen Sie die Telefonnummer ein, oder lassen Sie die Zeile weg.
remedy-phone-invalid-damaged = Formatieren Sie die Spalte in Excel als Text, geben Sie die Nummern neu ein und speichern Sie.
remedy-phone-invalid-no-digit = Korrigieren Sie sie in Ihrer Datei und importieren Sie die Datei noch einmal, oder lassen Sie die Zeile weg.
remedy-phone-invalid-too-short = Vergleichen Sie die Nummer mit ihrer Quelle und ergänzen Sie die fehlenden Ziffern.
remedy-phone-invalid-too-long = Vergleichen Sie die Nummer mit ihrer Quelle. In einer Zelle kann nur eine Nummer stehen.
remedy-phone-invalid-other = Schreiben Sie die Nummer mit Ländervorwahl, etwa +49151…, oder wählen Sie das Land der Nummern.
remedy-phone-invalid = { remedy-phone-invalid-other }
remedy-field-name-invalid = Geben Sie der Spalte einen Namen mit höchstens 64 Zeichen, oder lassen Sie sie weg.
remedy-field-not-string = Setzen Sie den Wert in Anführungszeichen.
remedy-field-too-long = Kürzen Sie den Text auf 1.000 Zeichen, oder lassen Sie die Spalte weg.
remedy-field-invalid = Geben Sie den Text neu ein.
remedy-too-many-fields = Lassen Sie Spalten weg.
remedy-duplicate-member = Benennen Sie eine der beiden Spalten um, oder lassen Sie sie weg.
remedy-row-width = Suchen Sie in dieser Zeile nach einem fehlenden oder überzähligen Trennzeichen oder Anführungszeichen.
refused-field-name-invalid = Der Name der Spalte ist leer, zu lang oder enthält ein Zeichen, das nicht gespeichert werden kann.
refused-field-not-string = Das muss ein Text sein.
refused-field-too-long = Dieser Text ist zu lang.
refused-field-invalid = Dieser Text enthält ein Zeichen, das nicht gespeichert werden kann.
refused-too-many-fields = Die Zeile hat mehr als 64 Spalten.
refused-duplicate-member = Zwei Spalten haben denselben Namen.
refused-row-width = Die Zeile hat nicht so viele Spalten wie die erste Zeile.
