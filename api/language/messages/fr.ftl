# Français. `$value` est un texte, `$n` un nombre qui choisit la forme. Les espaces devant les signes doubles et à l’intérieur des
# guillemets sont insécables ; un test le vérifie.

number-group = { "\u202F" }
number-decimal = ,
percent = { $value } %
points = { $n ->
    [one] { $value } pt
   *[other] { $value } pts
}
labelled = { $what } : { $value }
interval = intervalle à 95 % { $value }
date = { $day ->
    [1] 1er { $month } { $year }
   *[other] { $day } { $month } { $year }
}
date-short = { $day ->
    [1] 1er { $month }
   *[other] { $day } { $month }
}
month-1 = janv.
month-2 = févr.
month-3 = mars
month-4 = avr.
month-5 = mai
month-6 = juin
month-7 = juil.
month-8 = août
month-9 = sept.
month-10 = oct.
month-11 = nov.
month-12 = déc.

skip = Aller au contenu
navigation = Pages
nav-overview = Vue d’ensemble
nav-answers = Réponses
nav-stores = Magasins
nav-campaigns = Campagnes
nav-imports = Importations
nav-recipients = Destinataires
nav-senders = Envoi des SMS
recipient = Destinataire
nav-forms = Formulaires
nav-people = Équipe
nav-keys = Clés d’API
nav-audit = Journal
sign-in = Se connecter
sign-in-wrong = Nom ou mot de passe incorrect. Veuillez réessayer.
sign-in-link = Vous allez vous connecter en tant que { $value }. Le lien ne sert qu’une fois.
first-heading = Bienvenue
first-text = Vous êtes la première personne à vous connecter ici et devenez donc administrateur : vous pouvez inviter toutes les autres.
first-name = Votre nom, pour vous connecter
first-go = Créer le compte et se connecter
sign-in-link-password = Bonjour { $value }, veuillez choisir un nouveau mot de passe. Ce lien ne sert qu’une fois.
sign-in-link-set = Enregistrer le mot de passe et se connecter
oidc-sign-in = Se connecter avec { $value }
oidc-or = Ou avec votre nom et votre mot de passe d’ici :
oidc-away = { $value } ne répond pas en ce moment. Veuillez réessayer dans quelques minutes. Si vous avez un mot de passe ici, vous pouvez vous en servir.
oidc-refused = { $value } ne vous a pas connecté. Veuillez réessayer. Si cela se reproduit, prévenez la personne qui exploite ce service.
oidc-anew = La connexion a pris trop de temps, ou elle a commencé dans une autre fenêtre ou un autre navigateur. Veuillez recommencer.
oidc-no-role = { $value } vous connaît, mais ne vous donne aucun rôle ici. Demandez-en un à ceux qui gèrent les connexions dans votre entreprise, souvent le service informatique.
oidc-no-role-claim = Ce qu’ils doivent savoir : rien de ce que « { $value } » dit de vous ne figure dans FEEDBACK_OIDC.
oidc-no-role-email = Ce qu’ils doivent savoir : votre adresse e-mail ne figure pas dans FEEDBACK_OIDC, ou { $value } ne confirme pas qu’elle est la vôtre (email_verified).
oidc-last-admin = { $value } ne fait plus de vous un administrateur, mais il n’y en a pas d’autre ici. Un autre administrateur doit d’abord se connecter.
oidc-no-account = { $value } vous donne un rôle dans une entreprise qui n’existe pas ici. Veuillez prévenir la personne qui exploite ce service.
oidc-name-taken = Quelqu’un d’autre porte déjà ici le nom que { $value } vous donne. Veuillez prévenir la personne qui exploite ce service.
oidc-own = Vous vous connectez par le service de connexion de votre entreprise. C’est là que vous changez votre mot de passe et votre second facteur.
oidc-person = Se connecte par le service de connexion de votre entreprise, qui donne aussi ce rôle.
people-provider = Cette personne se connecte par le service de connexion de votre entreprise et n’a pas de mot de passe ici.
retention = Durée de conservation
retention-note = Ce qui est plus ancien est supprimé chaque jour, définitivement. Vos chiffres restent : les rapports le comptent toujours. Personne n’est interrogé deux fois pour autant.
retention-ever = toujours
retention-answers = Jours de conservation des réponses
retention-answers-note = Avec tout ce qui a été écrit. Les listes, les exports et les commentaires n’en ont pas de plus anciennes.
retention-visits = Jours de conservation des visites
retention-visits-note = Qui a ouvert quelle page, et quand.
retention-messages = Jours de conservation des messages
retention-messages-note = Des campagnes terminées, à partir de leur fin. Leurs liens prennent fin aussi.
retention-audit = Jours de conservation du journal
retention-audit-note = 90 jours au moins.
retention-sealed = Supprimé jusqu’au { $value }.
retention-holds = Rien de plus n’est supprimé avant le { $value }. D’ici là, vous pouvez encore rétablir les jours.
retention-look = Voir ce qui serait supprimé
retention-goes = Ceci est supprimé dans 24 heures :
retention-goes-answers = { $n ->
    [one] { $value } réponse
   *[other] { $value } réponses
}
retention-goes-visits = { $n ->
    [one] { $value } visite
   *[other] { $value } visites
}
retention-goes-messages = { $n ->
    [one] { $value } message
   *[other] { $value } messages
}
retention-goes-audit = { $n ->
    [one] { $value } ligne du journal
   *[other] { $value } lignes du journal
}
retention-goes-none = Rien n’est encore aussi ancien. Dans 24 heures, ce qui le devient commencera à être supprimé chaque jour.
retention-sure = D’ici là, vous pouvez rétablir les jours ici. Ensuite, rien ne peut être récupéré. Voulez-vous continuer ?
retention-set = Supprimer ce qui est plus ancien
retention-wrong = Veuillez indiquer des jours entiers : de 1 à 36 500, pour le journal à partir de 90.
sealed-answers = Les réponses jusqu’au { $value } sont supprimées. Les chiffres les comptent ; les listes et les commentaires ne les ont plus.
sealed-messages = Les messages de cette campagne sont supprimés. Ses chiffres restent.
sealed-campaigns = Les messages des campagnes terminées jusqu’au { $value } sont supprimés. Leurs chiffres restent.
company = Entreprise
company-name = Nom de l’entreprise
company-note = Il figure dans votre tableau de bord et sur les pages que voient vos clients.
company-save = Enregistrer le nom
company-wrong = Le nom d’une entreprise compte de 1 à 100 caractères.
time-zone = Fuseau horaire
time-zone-choose = Choisissez un fuseau horaire
time-zone-note = Vos rapports comptent les jours dans ce fuseau horaire. Vous pouvez le changer jusqu’à la première importation ou la première réponse.
time-zone-stays = Le fuseau horaire ne peut plus être changé : des rapports y ont déjà compté des jours.
time-zone-save = Enregistrer le fuseau horaire
simulated = Simulation : aucun SMS n’atteint encore un téléphone. Demandez à votre service informatique de connecter un opérateur SMS.
simulated-campaign = Simulation : l’expéditeur de cette campagne n’atteint aucun téléphone.
step-delivered-simulated = Remis (simulation)
status-delivered-simulated = Remis (simulation)
sign-out = Se déconnecter
to-dashboard = Vers le tableau de bord
trouble-not-found = Il n’y a rien ici
trouble-forbidden = Vous ne pouvez pas faire cela
trouble-too-many = Trop de tentatives
trouble-unavailable = Nous ne pouvons pas répondre pour l’instant
trouble-link-gone = Ce lien ne fonctionne plus
trouble-other = Cela n’a pas fonctionné

range = Jours
range-today = Aujourd’hui
range-days = { $value } jours
range-other = Autres dates
range-turned = « Du » est après « Au ». Les 30 derniers jours sont affichés.
range-wrong = Ces dates ne forment pas une période de 1 830 jours au plus. Les 30 derniers jours sont affichés.
range-this-week = Cette semaine
range-last-week = La semaine dernière
range-this-month = Ce mois-ci
range-last-month = Le mois dernier
range-this-quarter = Ce trimestre
range-last-quarter = Le trimestre dernier
range-this-year = Cette année
range-last-year = L’année dernière
compare = Comparer à
compare-before = La période précédente
compare-year = L’année précédente
compared-with = Par rapport à { $value }
not-over = La journée n’est pas encore terminée, il n’y a donc pas encore de comparaison.
help = Qu’est-ce que c’est ?
range-from = Du
range-to = Au
show = Afficher
apply = Appliquer
search = Rechercher
all = Tout
next-page = Page suivante
as-table = Sous forme de tableau
day = Jour

card-views = Ouvertures
card-responses = Réponses
card-response-rate = Taux d’achèvement
card-answered = Taux de réponse
card-of-delivered = { $n ->
    [one] sur { $value } message remis
   *[other] sur { $value } messages remis
}
help-completed = Combien de toutes les ouvertures du formulaire ont donné une réponse. Qui l’ouvre deux fois compte deux fois.
help-answered = Combien des messages remis ont reçu une réponse.
help-satisfied = Combien de ceux qui ont choisi un smiley ont choisi l’un des deux meilleurs. L’intervalle dit où le chiffre se situerait probablement si tout le monde avait répondu : plus il y a de réponses, plus il est étroit.
help-nps = Net Promoter Score : le pourcentage de promoteurs (9–10) moins celui de détracteurs (0–6), de −100 à 100. L’intervalle dit où il se situerait probablement si tout le monde avait répondu : plus il y a de réponses, plus il est étroit.
card-happiness = Satisfaits (4–5)
card-nps = NPS
card-of-views = { $n ->
    [one] sur { $value } ouverture
   *[other] sur { $value } ouvertures
}
card-before = { $value } avant
card-since = données seulement depuis le { $value }
clear = Évolution nette
by-chance = Pas d’évolution nette
too-few = Trop peu de réponses pour juger
coming-in = la journée n’est pas terminée
chart-days = Ouvertures et réponses par jour
chart-nps = Net Promoter Score
chart-nps-line = 7 derniers jours
chart-nps-band = intervalle à 95 %
chart-nps-empty = Personne n’a encore répondu à une question de 0 à 10.
chart-nps-empty-past = Personne n’a répondu à une question de 0 à 10 ces jours-là.
chart-dip-stores = Magasins ces jours-là
chart-dip-detractors = Détracteurs avec commentaire
chart-dip = Creux net : { $value }, NPS
nps-week = NPS, 7 derniers jours
funnel = De l’importation à la réponse
step = Étape
number = Nombre
of-step-before = De l’étape précédente
of-recipients = De tous les destinataires
funnel-note = Chaque étape compte le jour où elle a eu lieu. Les importés sont les personnes enregistrées à présent : celles qui ont été effacées depuis n’y sont plus. Les ouvertures et les réponses comptent aussi les liens sans message, par exemple un code QR. La part se rapporte à l’étape précédente.
form = Formulaire
forms-all = Tous les formulaires
forms-none = Aucun formulaire n’est encore publié.
trend = Tendance
steps-heading = Premiers pas
steps-done = { $value } faits
step-is-done = Fait :
steps-form = Créer un formulaire et le publier
steps-note-form = cinq minutes, ou partez d’un modèle
steps-people = Importer vos clients
steps-note-people = un fichier Excel ou CSV suffit
steps-sender = Connecter un opérateur SMS
steps-note-sender = fait par la personne qui exploite ce service ; d’ici là, les messages ne sont que simulés
steps-campaign = Démarrer une campagne
steps-note-campaign = elle envoie à chaque client un lien vers le formulaire
steps-answer = Recevoir la première réponse
steps-note-answer = elle s’affiche ici en une seconde
new-import = Importer des destinataires

step-imported = Importés (encore enregistrés)
step-recipients = Destinataires
step-scheduled = Mis en file
step-sent = Envoyés
step-delivered = Remis
step-viewed = Ouverts
step-opened = Ouvertures du formulaire
step-answered = Réponses

bus-prop = Groupe
nps-parts = Promoteurs et détracteurs
nps-promoters = Promoteurs (9–10)
nps-passives = Passifs (7–8)
nps-detractors = Détracteurs (0–6)
nps-all = Toutes les notes
answers-n = { $n ->
    [one] { $value } réponse
   *[other] { $value } réponses
}
comments-n = { $n ->
    [one] { $value } commentaire
   *[other] { $value } commentaires
}
mean = moyenne { $value }
field-removed = plus dans le formulaire
nps-interval = NPS avec marge d’erreur
table-of = Comparaison par { $value }
stores-few = Lignes pâles : moins de 30 réponses et pas de différence nette.
stores-small = Moins de 30 réponses
table-note = La bande est l’intervalle à 95 %.
property-store = magasin
property-region = région
property-city = ville
property-country = pays
property-channel = canal
property-first-name = prénom
property-last-name = nom de famille
stores-property = Comparer par
stores-none = Aucun formulaire n’a encore de magasins ou de groupes à comparer. Ajoutez-les dans un formulaire.
stores-without = « { $value } » n’a pas de magasins ou de groupes à comparer.
stores-add = Les ajouter au formulaire
stores-responses = Réponses
stores-nps = NPS
stores-rest = Par rapport aux autres
stores-rest-short = vs autres
stores-change = Évolution
stores-satisfied = Satisfaits (4–5)
stores-completed = Taux d’achèvement
stores-answered = Taux de réponse
stores-differs = Différence nette
stores-note = Le taux d’achèvement porte sur toutes les ouvertures du formulaire, le taux de réponse sur les messages remis.
stores-judged-none = La comparaison commence à 10 réponses, et aucun n’en a encore autant.
stores-chance = Seuls ceux qui ont au moins 10 réponses sont comparés : sur { $value } comparaisons, le hasard seul en marquerait environ { $what }.
stores-chance-few = Seuls ceux qui ont au moins 10 réponses sont comparés : le hasard seul n’en marquerait presque aucun.
stores-all = Tout afficher ({ $value })
stores-alike = Pas de différence nette
stores-no-value = Sans { $value }
stores-none-note = La dernière ligne regroupe les réponses qui n’appartiennent à aucun d’eux. Elles ne sont comparées à rien, et aucune liste ne les montre seules.
help-rest = De combien de points le NPS est au-dessus ou au-dessous de celui des autres réunis.
stores-differing = Magasins qui se distinguent
stores-none-differs = Aucun magasin ne s’écarte des autres ou de la période précédente au-delà du hasard.
stores-help-name = Ce qui est comparé.
stores-help-responses = Réponses de ces jours.
stores-help-interval = Où le NPS serait probablement si tout le monde avait répondu (intervalle à 95 %).
stores-help-differs = « oui » si la différence avec les autres dépasse le hasard.
stores-help-change = De combien de points le NPS est au-dessus ou au-dessous de celui de la période précédente.
stores-help-changed = « oui » si l’évolution dépasse le hasard.
stores-help-month = Le NPS de ce mois.
stores-months = NPS par mois
stores-months-whole = { $n ->
    [one] Le mois entier : les jours hors de la période choisie comptent aussi.
   *[other] { $value } mois entiers : les jours hors de la période choisie comptent aussi.
}
stores-tones = En vert : au-dessus du NPS du formulaire ce mois-là ; en rouge : au-dessous. Plus la couleur est forte, plus l’écart est grand (10, 20 ou 40 points). Les chiffres pâles ont moins de 30 réponses.
terms = Ce que disent les détracteurs et pas les autres
terms-here = Ce que disent ici les détracteurs et pas les autres
terms-of = { $n ->
    [one] Dans la dernière réponse écrite et notée
   *[other] Dans les { $value } dernières réponses écrites et notées
}
terms-compared = Les textes des détracteurs de « { $value } » sont comparés à toutes les autres réponses au formulaire, aussi à celles des autres.
terms-none = Rien ne ressort au-delà du hasard.
terms-detractors = Lire ce que les détracteurs ont écrit
share = Partager
share-for = Lien valable pendant
copy-link = Copier le lien
copied = Copié
shares = Pages partagées
shares-note = Quiconque a le lien voit cette seule page, avec ses chiffres du moment, et aucune autre.
shares-none = Rien n’est partagé. La vue d’ensemble et la page de chaque formulaire ont « Partager » en bas.
texts-not-shared = Les textes courts ne sont pas affichés sur une page partagée, les derniers commentaires le sont.
share-made = Copiez le lien maintenant, il n’est affiché que dix minutes
share-until = jusqu’au { $value }
share-withdraw = Retirer
latest-comments = Derniers commentaires
comments-none = Aucun commentaire ces jours-là.
all-comments = Tous les commentaires
all-answers = Toutes les réponses
smiley = Smiley
words = Mots
track-field = Colonne
answers-show = Afficher
answers-comments = Commentaires
answers-all = Toutes les réponses
narrowed-remove = Retirer ce filtre
answers-one = Une réponse
answers-older = Réponse précédente
answers-person = Personne
answers-export-form = Choisissez un formulaire à exporter : chaque formulaire a ses propres questions.
read-on = Lire la suite
answers-none = Aucune réponse ces jours-là.
answers-no-match = Rien ne correspond ces jours-là.

upload = Importer un fichier
upload-text = Un fichier d’Excel ou d’un autre programme : CSV, XLSX, JSON ou NDJSON. Déposez-le ici ; rien n’est enregistré avant que vous ayez vu ce qu’il contient.
upload-file = Choisir un fichier
upload-campaign = Campagne
upload-no-campaign = Importer sans rien envoyer
upload-go = Examiner le fichier
upload-arriving = Le fichier est en route…
import-file = Fichier
file-kind = Le fichier doit être au format CSV, XLSX, JSON ou NDJSON. Un ancien fichier Excel (.xls) peut être enregistré en .xlsx dans Excel.
file-too-large = Le fichier est trop volumineux. Enregistrez-le en CSV ou divisez-le. ({ $value })
file-broken = Le fichier ne peut pas être lu. Ouvrez-le dans Excel, enregistrez-le en .xlsx et choisissez ce fichier. ({ $value })
file-columns = Ce que contient le fichier
file-columns-text = Dites ce qu’est chaque colonne. Ce qui est conservé peut servir dans les messages et pour regrouper les réponses.
file-other-sheets = Seule la première feuille du fichier est lue, pas : { $value }. Enregistrez-les séparément et importez-les aussi.
file-read = Comment le fichier a été lu
file-written = Écrit avec
delimiter-comma = des virgules
delimiter-semicolon = des points-virgules
delimiter-tab = des tabulations
delimiter-bar = des barres
file-examples = Exemples
file-use = Utiliser comme
column-keep = Conserver avec chaque personne
column-skip = Laisser de côté
imports-none = Rien n’a encore été importé.
import = Importation
imported-by = Importé par
status = État
received = Lignes du fichier
rejected = Refusés
stored = Enregistrés
created = Créés
updated = Modifiés
unchanged = Inchangés
superseded = Remplacés par une importation ultérieure
failed = Échoués
cancelled = Annulés
eta = encore { $value } s
rejected-records = Lignes refusées
member = Colonne
do-cancel = Arrêter tout de suite (ne plus rien envoyer)
do-retry = Réessayer
back-out = Non, revenir
import-cancel = Annuler l’importation
import-retry = Réessayer
import-erase = Effacer les destinataires créés
import-erasing = Les destinataires créés par cette importation sont en cours d’effacement :
sure-import-erase = { $n ->
    [one] Le destinataire créé par cette importation est effacé définitivement, sauf si une importation ultérieure l’a modifié. Les réponses restent avec tout ce qui y est écrit, mais sans la personne ni ses colonnes : ensuite, rien ne mène plus de la personne à ses réponses. Lisez-les donc d’abord et supprimez celles qui la nomment.
   *[other] Les { $value } destinataires créés par cette importation sont effacés définitivement, sauf ceux qu’une importation ultérieure a modifiés. Les réponses restent avec tout ce qui y est écrit, mais sans la personne ni ses colonnes : ensuite, rien ne mène plus de la personne à ses réponses. Lisez-les donc d’abord et supprimez celles qui la nomment.
}
erased = Effacés
do-start = Démarrer
campaign-review = Vérifier et démarrer
do-pause = Suspendre
do-resume = Reprendre
do-finish = Terminer (envoyer ce qui attend)
do-publish = Publier
do-delete = Supprimer
do-link = Lien et code QR
do-rotate = Remplacer le secret
do-revoke = Révoquer
sure-cancel = Ce qui n’a pas été envoyé ne le sera jamais, et la campagne ne pourra pas reprendre.
sure-finish = Aucune autre importation n’est acceptée. Ce qui attend est encore envoyé ; ensuite, la campagne ne pourra pas reprendre.
sure-start = À partir de maintenant, des messages partent vers de vrais téléphones. C’est irréversible.
sure-start-real = Les messages arrivent sur de vrais téléphones, et c’est irréversible.
start-unlisted = { $n ->
    [one] { $value } personne a un magasin ou un groupe que le formulaire ne mentionne pas : aucun rapport n’y comptera sa réponse. La page indique lequel, et comment l’ajouter.
   *[other] { $value } personnes ont un magasin ou un groupe que le formulaire ne mentionne pas : aucun rapport n’y comptera leurs réponses. La page indique lesquels, et comment les ajouter.
}
start-now = { $n ->
    [one] Départ immédiat : { $value } message à { $value } personne.
   *[other] Départ immédiat : { $value } messages à { $value } personnes.
}
start-later = { $n ->
    [one] { $value } message à { $value } personne, le { $what }.
   *[other] { $value } messages à { $value } personnes, le premier le { $what }.
}
start-import = Le démarrage n’envoie encore rien : toute personne importée ensuite dans cette campagne reçoit le message.
start-reminder = Qui ne répond pas reçoit aussi un rappel.
resume-n = { $n ->
    [0] Aucun message n’attend pour le moment.
    [one] { $value } message en attente part, à ses heures.
   *[other] { $value } messages en attente partent, à leurs heures.
}
resume-reminder-n = { $n ->
    [one] { $value } rappel en attente part, à ses heures.
   *[other] { $value } rappels en attente partent, à leurs heures.
}
resume-import = Toute personne importée dans cette campagne reçoit le message.
sure-import-cancel = Ce qui n’est pas encore enregistré est laissé de côté. Ce qui l’est reste.
sure-import-send = Ces personnes reçoivent le message de { $value } sur de vrais téléphones. C’est irréversible.
sure-import-send-simulated = Ces personnes reçoivent le message de { $value }. Simulation : son expéditeur n’atteint aucun téléphone.
sure-withdraw = Plus personne ne pourra ouvrir la page avec ce lien. Vous pourrez la partager à nouveau avec un autre.
sure-block = Aucune de vos campagnes n’envoie plus rien à ce numéro, quel qu’en soit le titulaire, jusqu’à ce que vous le débloquiez.
sure-unblock = Des messages seront de nouveau envoyés à ce numéro. Ne le débloquez que si la personne l’a demandé.
sure-delete = Ses liens se ferment définitivement, y compris ceux des messages déjà envoyés, et ses campagnes n’envoient plus rien. Les réponses restent dans les rapports.
sure-rotate = Le secret actuel fonctionne encore un jour.
sure-revoke = Les programmes qui utilisent cette clé sont refusés dès maintenant, définitivement.
sure-remove = { $value } est déconnecté et ne peut pas revenir.

recipients-of-import = Personnes dont les dernières données viennent de cette importation :
recipients-none = Il n’y a pas encore de destinataires. Ils arrivent avec les importations.
recipients-column = Rechercher
recipients-docid = Numéro de client commençant par
recipients-value = Ce qui est recherché
recipients-whole = Cherche la valeur entière, en majuscules ou en minuscules.
recipients-undelivered = Messages non remis
recipients-not-found = Personne n’a été trouvé.
recipients-not-yet = Personne n’a été trouvé jusqu’ici.
recipients-no-more = Personne d’autre n’a été trouvé.
recipients-looked-to = Tous ont été examinés jusqu’au numéro de client { $value }. Il y en a d’autres.
recipients-go-on = Continuer la recherche
recipient-link = Lien personnel
recipient-link-note = L’ouvrir compte comme une visite, et une réponse compte comme celle de la personne.
recipient-test-note = Un essai avec les colonnes de cette personne, envoyé à un autre numéro.
recipient-none = Il n’y a pas de destinataire « { $value } ».
phone = Téléphone
docid = Numéro de client
phone-unknown = Numéro non affiché : il n’appartient à personne d’importé
column-phone = { phone }
column-docid = Numéro de client
column-both = Téléphone et numéro de client (alors vu par tous)
column-submitted-at = Répondu
column-feedback-id = ID de la réponse
column-created-at = Créé
column-updated-at = Modifié
column-batch-id = ID de l’importation
column-message-id = ID du message
column-campaign-id = Campagne
column-kind = Genre
column-status = État
column-skipped-reason = Raison de l’omission
column-parts = SMS (à facturer)
column-encoding = Caractères
column-sender = Expéditeur
column-provider-ids = ID du fournisseur
column-provider-code = Code du fournisseur
column-scheduled-at = Prévu pour
column-accepted-at = Envoyé
column-delivered-at = Remis
column-viewed-at = Ouvert
column-answered-at = Répondu
file-country = Les numéros sans indicatif viennent de
file-no-country = Tous ont un indicatif
file-look = Afficher le résultat
choose-phone = Choisissez la colonne des numéros de téléphone.
choose-one-phone = Deux colonnes sont le téléphone. Choisissez-en une ; laissez l’autre de côté ou conservez-la.
choose-docid = Choisissez la colonne des numéros de client. S’il n’y en a pas, le téléphone peut être les deux.
choose-one-docid = Deux colonnes sont le numéro de client. Choisissez-en une ; laissez l’autre de côté ou conservez-la.
file-outlook = Ce qui sera importé
file-new = Nouvelles personnes
file-known = Déjà connues
file-known-text = Leur téléphone et leurs colonnes sont remplacés.
file-rejected-text = Ces lignes sont laissées de côté.
merged = Lignes répétées
file-rows = { $n ->
    [one] { $value } ligne
   *[other] { $value } lignes
}
file-row = Ligne
file-value = Valeur dans le fichier
file-wrong = Ce qui ne va pas
file-remedy = Que faire
file-same-phone = { $n ->
    [one] { $value } ligne a le numéro de téléphone d’une ligne plus haut, avec un autre numéro de client. Une campagne n’envoie qu’une fois à chaque numéro.
   *[other] { $value } lignes ont le numéro de téléphone d’une ligne plus haut, avec un autre numéro de client. Une campagne n’envoie qu’une fois à chaque numéro.
}
file-same-phone-rows = Lignes : { $value }
file-sends-nothing = Rien n’est envoyé ainsi. Vous pourrez ensuite envoyer un message à ces personnes.
file-gone = Ce fichier n’est plus conservé : seuls les trois derniers le sont, chacun pendant une heure. Veuillez le choisir de nouveau.
file-under-way = Ce fichier est déjà en cours d’importation. Il apparaîtra dans cette liste dans un instant.
errors-first = Ce sont les 100 premières. Le fichier Excel les contient toutes.
import-campaigns = Campagnes pour ces personnes :
import-sent-nothing = Rien n’a été envoyé à partir de cet import.
import-send = Leur envoyer un message
import-send-unchanged = { $n ->
    [one] { $value } personne dont la ligne est inchangée n’en fait pas partie : ajoutez pour elle l’importation précédente dans la campagne.
   *[other] { $value } personnes dont les lignes sont inchangées n’en font pas partie : ajoutez pour elles l’importation précédente dans la campagne.
}
erased-of-them = dont { $value } effacés
erase-waits = Ces messages ne sont pas encore envoyés et ne le seront pas :
erase-waits-first = { $n ->
    [one] { $what } : { $value } message
   *[other] { $what } : { $value } messages
}
erase-waits-reminder = { $n ->
    [one] { $what } : { $value } rappel
   *[other] { $what } : { $value } rappels
}
erase-waits-more = Il peut y en avoir d’autres : il y en a trop en attente pour les parcourir tous ici.
erase-waits-end = Une campagne où rien d’autre n’attend se termine alors. Rien de cela ne peut être annulé.
erase-waits-none = Aucun message ne les attend à présent, et aucun ne leur sera envoyé. C’est irréversible.
file-first = Les premières personnes, telles qu’elles seront enregistrées
file-import = { $n ->
    [one] Importer { $value } personne
   *[other] Importer { $value } personnes
}
file-import-send = { $n ->
    [one] Importer { $value } personne et envoyer
   *[other] Importer { $value } personnes et envoyer
}
audit-import-look = Fichier téléversé
audit-import-view = Fichier téléversé consulté
changed = Modifié
created-at = Créé
started-at = Démarré
finished-at = Terminé
messages = Messages
messages-n = { $n ->
    [one] { $value } message
   *[other] { $value } messages
}
messages-none = Aucun message.
messages-go-on = Aucun parmi les plus récents. La page suivante remonte plus loin.
erase = Effacer
person-export = Télécharger toutes les données de cette personne
erase-text = Le téléphone et les colonnes disparaissent définitivement, et plus rien n’est envoyé. Les réponses restent avec tout ce qui y est écrit, mais sans la personne ni ses colonnes : ensuite, rien ne mène plus de la personne à ses réponses. Lisez-les donc d’abord et supprimez celles qui la nomment. Si un fichier ultérieur la contient, elle est de nouveau créée.
erase-now = Effacer définitivement
erase-phone = Effacer tous ceux qui ont ce numéro
erase-phone-text = Le téléphone et les colonnes de tous ceux qui ont ce numéro disparaissent définitivement, même s’ils ne figurent pas ici, et plus rien n’est envoyé. Les réponses restent avec tout ce qui y est écrit, mais sans la personne ni ses colonnes : ensuite, rien ne mène plus de la personne à ses réponses. Lisez-les donc d’abord et supprimez celles qui la nomment. Si un fichier ultérieur les contient, ils sont de nouveau créés.
kind-first = Premier message
kind-reminder = Rappel
kind-test = Test

campaign = Campagne
campaigns-none = Pas encore de campagne.
campaign-new = Nouvelle campagne
campaign-edit = Modifier
campaign-message = Message
campaign-text = Merci de votre visite ! Comment était-ce ? { "{" }link{ "}" }
campaign-waits = Rien n’est encore envoyé : le message part à ceux qui sont importés pour cette campagne.
waiting-note = Les messages trop longs, ou dont une colonne est vide, ne sont écartés que lorsque vient leur tour. L’aperçu les compte.
campaign-save-first = Enregistrez d’abord : c’est la version enregistrée qui est envoyée.
campaign-text-note = Doit contenir { "{" }link{ "}" } une fois. Insérez une colonne, par exemple { "{" }{ $value }|cher client{ "}" } : le texte après la barre apparaît là où la colonne est vide.
campaign-text-example = prénom
campaign-insert = Insérer :
campaign-special-note = Un SMS compte 160 caractères ; avec un caractère spécial comme ê ou un émoji, il n’en compte que 70.
campaign-audience = Qui le reçoit
audience-import = Personnes importées plus tard, directement dans cette campagne
audience-keep = Comme enregistré
audience-also = Ajouter les personnes d’autres importations
campaign-fields = Colonnes à conserver avec chaque réponse
campaign-bus-props = Regrouper les réponses par colonne
campaign-columns = Colonnes : groupes et données conservées avec les réponses
campaign-group-column = Colonne
campaign-group-name = Nom dans les rapports (vide : comme la colonne)
campaign-column-other = Autres colonnes, qu’un fichier à venir contiendra (séparées par des virgules)
campaign-hours = Heures et jours
campaign-nothing-set = rien de réglé
campaign-window = Envoyer entre (vide : à toute heure)
window-from = De
window-to = À
campaign-gap = Ignorer qui a été contacté dans les … derniers jours
campaign-parts = Longueur maximale : … SMS
campaign-reminder = Rappel à ceux qui n’ont pas répondu
campaign-reminder-days = Après … jours
campaign-started-note = Vos modifications valent pour tout ce qui n’est pas encore envoyé. Le formulaire et les personnes restent les mêmes.
campaign-form-deleted = Le formulaire a été supprimé : ce qui attend n’est pas envoyé.
campaign-nothing-waits = Aucun message n’attend en ce moment : un nouveau texte ne vaut que pour les personnes importées plus tard, et un nouveau rappel que pour ceux qui ne sont pas encore partis.
campaign-starts-at = Démarrer le (vide : tout de suite)
campaign-delay = Minutes d’attente après l’importation
campaign-more = Autres réglages
campaign-most = Nombre maximal de messages (vide : sans limite)
campaign-sample = N’interroger qu’une part des personnes, en pour cent (vide : tout le monde)
campaign-per-day = Maximum de messages par jour pour chaque magasin ou groupe
campaign-quota-name = Groupe de réponses
campaign-quota-most = Messages par jour
campaign-quota-none = Pour cela, choisissez d’abord une colonne pour regrouper les réponses, puis enregistrez.
campaign-budget = Budget de la campagne (vide : sans limite)
campaign-within = Heures après lesquelles un message n’est plus envoyé
campaign-expiry = Jours pendant lesquels un lien fonctionne
day-mon = lun.
day-tue = mar.
day-wed = mer.
day-thu = jeu.
day-fri = ven.
day-sat = sam.
day-sun = dim.
window-any = à toute heure
window-daily = tous les jours
window-zone = dans le fuseau horaire de chaque personne
setting-audience = Qui le reçoit
setting-window = Envoi
setting-starts-at = Début
setting-delay = Attente après l’importation
setting-within = N’est plus envoyé après
setting-gap = Ignoré si contacté au cours des derniers
setting-parts = Message le plus long
sms-n = { $value } SMS
setting-most = Au plus
setting-sample = Part des personnes interrogées
setting-per-day = Au plus par jour
setting-budget = Budget
setting-expiry = Les liens fonctionnent pendant
setting-fields = Colonnes conservées avec chaque réponse
setting-bus-props = Réponses regroupées par colonne
setting-reminder = Rappel
audience-all = Tout le monde
audience-from = À partir du { $value }
audience-to = Jusqu’au { $value }
audience-batches = { $n ->
    [one] Personnes d’une importation
   *[other] Personnes de { $value } importations
}
reminder-after = { $n ->
    [one] Après { $value } jour :
   *[other] Après { $value } jours :
}
minutes-n = { $n ->
    [one] { $value } minute
   *[other] { $value } minutes
}
hours-n = { $n ->
    [one] { $value } heure
   *[other] { $value } heures
}
days-n = { $n ->
    [one] { $value } jour
   *[other] { $value } jours
}
cost = Coût
usage = Coûts
usage-month = Mois
usage-months = Par mois
usage-messages = Messages
usage-parts = Parties de SMS
usage-country = Pays
usage-senders = Par expéditeur, { $value }
usage-countries = Par pays, { $value }
usage-none = Rien n’a encore été envoyé.
usage-note = Un message compte le jour de son envoi, au prix de ce jour ; ce que le fournisseur refuse ne coûte rien. Un texte long prend plusieurs parties de SMS.
usage-no-price = Personne n’a indiqué le prix d’un SMS : il n’y a donc ici ni coûts ni budget. Demandez à la personne qui exploite le service.
month-budget = Budget du mois
month-budget-none = Il n’y a pas de budget : tout est envoyé.
month-budget-note = Ce que tous les messages d’un mois peuvent coûter. Au-delà, les messages attendent le mois suivant, ou que vous l’augmentiez. Vide : sans limite.
budget-amount = Montant
budget-currency = Devise
budget-of-month = { $value } % du budget SMS de ce mois est dépensé ({ $what }).
budget-of-campaign = { $value } % du budget de cette campagne est dépensé ({ $what }).
wait-budget = { $n ->
    [one] { $value } attend, car le budget de la campagne est épuisé.
   *[other] { $value } attendent, car le budget de la campagne est épuisé.
}
wait-month-budget = { $n ->
    [one] { $value } attend, car le budget du mois est épuisé : jusqu’au { $what }, ou jusqu’à ce que vous l’augmentiez.
   *[other] { $value } attendent, car le budget du mois est épuisé : jusqu’au { $what }, ou jusqu’à ce que vous l’augmentiez.
}
wait-send-window = { $n ->
    [one] { $value } attend jusqu’à { $what } dans leur fuseau horaire.
   *[other] { $value } attendent jusqu’à { $what } dans leur fuseau horaire.
}
wait-first = Le premier part le { $value }.
wait-delay = { $n ->
    [one] { $value } attend son heure après l’importation, jusqu’au { $what }.
   *[other] { $value } attendent leur heure après l’importation, le premier jusqu’au { $what }.
}
wait-starts-at = { $n ->
    [one] { $value } attend le début, le { $what }.
   *[other] { $value } attendent le début, le { $what }.
}
wait-rate = { $n ->
    [one] { $value } est le prochain : l’expéditeur n’en prend qu’un certain nombre par seconde ou par jour.
   *[other] { $value } sont les prochains : l’expéditeur n’en prend qu’un certain nombre par seconde ou par jour.
}
wait-sender-paused = { $n ->
    [one] { $value } attend parce que l’expéditeur « { $what } » n’accepte rien en ce moment.
   *[other] { $value } attendent parce que l’expéditeur « { $what } » n’accepte rien en ce moment.
}
wait-paused = { $n ->
    [one] { $value } message attend parce que la campagne est suspendue.
   *[other] { $value } messages attendent parce que la campagne est suspendue.
}
wait-paused-reminder = { $n ->
    [one] { $value } rappel attend parce que la campagne est suspendue.
   *[other] { $value } rappels attendent parce que la campagne est suspendue.
}
wait-reminder = { $n ->
    [one] { $value } rappel attend et part le { $what }. Qui répond d’ici là n’en reçoit pas.
   *[other] { $value } rappels attendent, le premier part le { $what }. Qui répond d’ici là n’en reçoit pas.
}
unknown-bus-props = Le formulaire ne mentionne pas ces valeurs : les rapports ne peuvent pas les comparer.
unknown-similar = Ces valeurs sont sans doute mal écrites : les personnes reçoivent le message, mais leurs réponses ne comptent pour aucun groupe. Corrigez le fichier et importez-le de nouveau (choisissez alors aussi cet import dans la campagne), ou ajoutez-les dans le formulaire lui-même :
unknown-add = Les ajouter au formulaire
field-missing = { $n ->
    [one] { $value } personne n’a pas « { $what } ».
   *[other] { $value } personnes n’ont pas « { $what } ».
}
field-similar = Vouliez-vous dire « { $value } » ?
column-strange = Personne n’a encore la colonne « { $value } ».
form-field-nobody = Le formulaire insère « { $value } », mais aucune de ces personnes n’a cette colonne.
form-field-not-kept = Le formulaire insère « { $value } », mais la campagne ne conserve pas cette colonne : cochez-la sous « Colonnes à conserver avec chaque réponse ».
ungrouped = Aucune réponse ne comptera pour un magasin ou un groupe : choisissez la colonne « { $value } » sous « Colonnes ». Après le démarrage, ce n’est plus possible.
ungrouped-form = Le formulaire ne mentionne encore aucun magasin : une fois la colonne enregistrée, cette page permet d’ajouter ses valeurs au formulaire.
special-character = Le caractère « { $value } » réduit un SMS de 160 à 70 caractères.
test-sent = Votre test :
test-status-scheduled = En attente d’envoi
test-status-sending = En cours de remise à votre opérateur SMS
test-status-accepted = Remis à votre opérateur SMS, pas encore confirmé
test-status-undelivered = Non distribué
test-status-failed = Pas envoyé : votre opérateur SMS l’a refusé
test-link-note = C’est ce que reçoivent vos destinataires. Les réponses par le lien d’un test ne sont enregistrées nulle part.
failures = Pourquoi des messages ne sont pas arrivés
failure-reason = Raison
failure-no-code = Votre opérateur SMS n’a pas donné de raison.
failures-most = Ce sont les raisons les plus fréquentes.
failures-partial = Seule une partie des messages les plus récents est comptée ici. Les listes derrière les chiffres les contiennent tous.
failures-sealed = Les messages de cette campagne sont supprimés, et avec eux les raisons.
country-unknown = inconnu
provider-code-simulated = (simulation)
provider-code-other = Code { $value } de votre opérateur SMS : demandez-lui ce qu’il signifie.
provider-code-off = Le téléphone est éteint ou hors réseau.
provider-code-no-number = Ce numéro n’existe pas.
provider-code-no-mobile = Ce numéro ne reçoit pas de SMS, comme une ligne fixe.
provider-code-no-route = Aucun réseau ne l’a accepté.
provider-code-not-taken = Le réseau ne l’a pas accepté.
provider-code-blocked = Le réseau ou la personne bloque ces messages.
provider-code-opted-out = La personne s’est désabonnée auprès de votre opérateur SMS.
provider-code-country = Votre opérateur SMS n’envoie pas dans ce pays pour vous.
provider-code-spam = Il a été filtré comme publicité indésirable.
provider-code-too-long = Le texte est trop long.
provider-code-from = Ce pays n’accepte pas de nom comme expéditeur, seulement un numéro.
provider-code-sender-name = Votre opérateur SMS n’accepte pas ce nom d’expéditeur : faites-le approuver.
provider-code-uncertain = La réponse de votre opérateur SMS s’est perdue : personne ne sait s’il est arrivé.
test-docid = Numéro de client (facultatif : reprend les colonnes de cette personne)
campaign-test = Envoyer un test
save = Enregistrer et voir l’aperçu
copy = Copier
copy-of = Copie de { $value }
preview = Aperçu
preview-import = Toutes les personnes d’un fichier que vous importez dans cette campagne reçoivent ce message.
preview-each = Environ { $value } SMS par personne.
preview-example = Exemple avec vos dernières personnes :
preview-started = Déjà démarrée : votre modification vaut pour les messages qui ne sont pas encore envoyés.
preview-waiting = { $n ->
    [0] Aucun message avec ce texte n’attend d’être envoyé. Vous voyez seulement ci-dessous ce qu’on lirait.
    [one] { $value } message attend encore d’être envoyé.
   *[other] { $value } messages attendent encore d’être envoyés.
}
preview-most = L’envoi se limite à { $value } d’entre elles.
preview-import-nobody = Les colonnes se remplissent dès que vous avez des personnes.
preview-eligible = { $n ->
    [one] { $value } message
   *[other] { $value } messages
}
people-most = { $n ->
    [0] personne
    [one] au plus { $value } personne
   *[other] au plus { $value } personnes
}
preview-of = { $n ->
    [one] à { $value } destinataire
   *[other] à { $value } destinataires
}
preview-parts = { $value } SMS (à facturer)
encoding-gsm7 = caractères standard
encoding-ucs2 = caractères spéciaux
preview-chars = { $n ->
    [one] { $value } caractère
   *[other] { $value } caractères
}
preview-lately = { $n ->
    [one] { $value } de ces personnes a reçu un message d’une autre campagne ces 7 derniers jours.
   *[other] { $value } de ces personnes ont reçu un message d’une autre campagne ces 7 derniers jours.
}
preview-over-budget = Cela coûte plus que le budget de la campagne ({ $value }). Ce qui le dépasse attend que vous augmentiez le budget.
preview-over-month = Cela coûte plus que ce qui reste du budget de ce mois ({ $value }). Ce qui le dépasse attend le mois suivant, ou que vous augmentiez le budget.
preview-partial = Seuls les premiers d’un grand public sont comptés ici. L’enregistrement les compte tous.
preview-nobody = Personne ne le recevrait aujourd’hui. Les colonnes se remplissent dès que quelqu’un le reçoit.
preview-wrong = Veuillez corriger :
not-saved = Pas encore enregistré. Veuillez corriger :
outdated = Quelqu’un d’autre a modifié ceci pendant que vous y travailliez. Tout ce que vous avez saisi est encore là, mais pas encore enregistré. Regardez la version plus récente ; si vous enregistrez ensuite, la vôtre la remplace.
outdated-see = Voir la version plus récente dans un nouvel onglet
reminders = Rappels
about = Réglages
text = Texte
form-report = Vers son rapport
resend-unknown = { $n ->
    [one] Renvoyer jusqu’à { $value } message incertain
   *[other] Renvoyer jusqu’à { $value } messages incertains
}
resend-failed = { $n ->
    [one] Renvoyer jusqu’à { $value } message refusé
   *[other] Renvoyer jusqu’à { $value } messages refusés
}
resend-undelivered = { $n ->
    [one] Renvoyer jusqu’à { $value } message non remis
   *[other] Renvoyer jusqu’à { $value } messages non remis
}
resend-expired = { $n ->
    [one] Renvoyer jusqu’à { $value } message expiré
   *[other] Renvoyer jusqu’à { $value } messages expirés
}
sure-resend-unknown = Qui a tout de même reçu le premier message en reçoit un second. Si possible, demandez d’abord à l’opérateur : il sait lesquels il a pris. Qui a répondu, est bloqué ou effacé n’en reçoit pas.
sure-resend-failed = L’opérateur les a refusés. Regardez d’abord les raisons : ce qui n’allait pas avec un numéro ne va toujours pas. Qui a répondu, est bloqué ou effacé n’en reçoit pas.
sure-resend-undelivered = Ils ne sont pas arrivés, et chaque nouvel essai est facturé. Les numéros qui n’existent plus échoueront encore. Qui a répondu, est bloqué ou effacé n’en reçoit pas.
sure-resend-expired = Les téléphones étaient éteints ou hors réseau trop longtemps. Chaque nouvel essai est facturé. Qui a répondu, est bloqué ou effacé n’en reçoit pas.
do-resend = Renvoyer
sender = Expéditeur
sender-next = S’il est en panne pendant une minute, alors
sender-third = Si celui-là est en panne aussi, alors
sender-nobody = Personne : les messages attendent
sender-countries = D’autres expéditeurs selon le pays
sender-countries-note = Les pays qui n’y figurent pas ont l’expéditeur ci-dessus.
sender-country = Pays
sender-others-nobody = Personne : les autres pays ne reçoivent aucun message
sender-then = puis
sender-others = tous les autres pays
senders-none = Personne ne transporte les messages : la personne qui exploite ce service doit raccorder un opérateur de SMS.
sender-test-none = Pour vous envoyer un test par cet expéditeur, créez une campagne qui l’utilise en premier.
status-ok = Prend les messages
status-error = En panne
status-unattended = Sans worker
sender-ok = Tout est en ordre.
sender-simulated = Simulation : rien n’est envoyé.
sender-paused = L’opérateur demande d’attendre depuis { $value }. De nouveaux essais se font d’eux-mêmes ; si cela dure, demandez-lui combien de messages par seconde il accepte.
sender-paused-by-hand = Suspendu à la main depuis le { $value }. Ses messages attendent que quelqu’un le laisse reprendre.
sender-paused-other = La personne qui exploite ce service le laisse reprendre.
sender-unattended = Aucun worker ne s’en occupe depuis le { $value }, rien n’est donc envoyé. La personne qui exploite ce service doit en chercher la cause : les messages attendent et ne sont pas perdus.
sender-never-attended = Aucun worker ne s’en occupe, rien n’est donc envoyé. La personne qui exploite ce service doit en démarrer un avec cet expéditeur : les messages attendent et ne sont pas perdus.
sender-not-configured = Les réglages du service n’ont plus cet expéditeur, mais des messages l’attendent. La personne qui exploite ce service doit le remettre ; ou arrêtez les campagnes qui l’utilisent.
sender-wrong-password = L’opérateur refuse l’utilisateur ou le mot de passe ({ $value }). La personne qui exploite ce service doit les corriger : les messages attendent et partent ensuite d’eux-mêmes.
sender-unreachable = L’opérateur est injoignable ({ $value }). Un nouvel essai a lieu toutes les quelques secondes : les messages attendent et partent d’eux-mêmes dès son retour.
sender-unsure = L’opérateur ne dit pas clairement s’il prend les messages ({ $value }). Il en reçoit un à la fois après des pauses de dix minutes au plus ; pour chacun, il se peut que personne ne sache s’il a été envoyé.
sender-refuses = L’opérateur ne prend aucun message de cet expéditeur ({ $value }). Demandez-lui ce que signifie le code : crédit, nom d’expéditeur ou autorisation. Les messages attendent qu’un envoi réussisse.
sender-since = Il en est ainsi depuis le { $value }.
sender-goes-through = En attendant, ses messages passent par { $value }.
sender-refused = La plupart des derniers messages ont été refusés. { $value } Suspendez les campagnes, faites corriger le problème et envoyez-vous un test ; la page de la campagne peut ensuite renvoyer les messages refusés.
sender-refused-messages = Voir les messages refusés
sender-unreported = Aucun accusé de réception n’est arrivé depuis le { $value }, alors que des messages ont été acceptés. On ne sait pas s’ils sont arrivés, et personne ne reçoit de rappel. La personne qui exploite ce service doit demander à l’opérateur s’il a l’adresse des accusés de réception.
sender-unknown = { $n ->
    [one] Pour { $value } message, personne ne sait s’il a été envoyé. Il n’est pas renvoyé de lui-même, pour que personne ne le reçoive deux fois. La page de la campagne permet de les renvoyer.
   *[other] Pour { $value } messages, personne ne sait s’ils ont été envoyés. Ils ne sont pas renvoyés d’eux-mêmes, pour que personne n’en reçoive un deux fois. La page de la campagne permet de les renvoyer.
}
sender-unmatched = { $n ->
    [one] { $value } accusé de la dernière heure ne correspond à aucun message. Si cela continue, l’opérateur envoie ses accusés au mauvais endroit ou écrit ses numéros autrement.
   *[other] { $value } accusés de la dernière heure ne correspondent à aucun message. Si cela continue, l’opérateur envoie ses accusés au mauvais endroit ou écrit ses numéros autrement.
}
sender-kind = Opérateur
sender-waiting = En attente
sender-oldest = Le premier devait partir
sender-accepted = Dernier message pris
sender-rate = SMS par seconde
sender-do-pause = Suspendre
sender-do-resume = Laisser reprendre
sender-do-retry = Réessayer maintenant
hook-status = Adresse des accusés de réception
hook-inbound = Adresse des réponses
alert-error = Aucun message ne part par { $value }.
alert-throttled = L’opérateur de { $value } demande d’attendre et n’accepte rien.
alert-unattended = Personne ne transporte les messages de { $value } : ils attendent.
alert-unreported = Aucun accusé de réception n’arrive pour { $value }.
alert-refused = L’opérateur refuse des messages de { $value }.
alert-unknown = { $n ->
    [one] Pour { $value } message, personne ne sait s’il a été envoyé.
   *[other] Pour { $value } messages, personne ne sait s’ils ont été envoyés.
}
alert-keys = { $n ->
    [one] { $value } clé d’API expire dans les 14 jours.
   *[other] { $value } clés d’API expirent dans les 14 jours.
}
audit-sender-pause = Expéditeur suspendu
audit-sender-resume = L’expéditeur reprend
done-sender-resume = Un nouvel essai a lieu maintenant. L’état de l’expéditeur s’affiche ci-dessous dans quelques secondes.

status-draft = Brouillon
status-published = Publié
status-deleted = Supprimé
status-running = En cours
status-paused = Suspendue
status-finished = Terminée
status-cancelled = Annulé
status-queued = En attente
status-processing = En traitement
status-completed = Terminé
status-stalled = Bloqué
status-skipped = Ignorés
status-scheduled = En attente
status-sending = En cours d’envoi
status-accepted = Envoyé
status-delivered = Remis
status-undelivered = Non remis
status-expired = Expiré
status-failed = Échoué
status-unknown = Inconnu
skip-opted-out = Désabonné ou bloqué
skip-erased = Effacé
skip-contact-gap = Contacté récemment
skip-already-answered = A déjà répondu
skip-duplicate-phone = Téléphone en double
skip-country-not-allowed = Pays non autorisé
skip-too-long = Texte trop long
skip-template-field-missing = Colonne du texte vide
skip-too-late = Trop tard
skip-form-deleted = Formulaire supprimé
skip-limit-reached = Nombre maximal atteint
skip-number-type = Type de numéro non autorisé
skip-not-sampled = Hors de l’échantillon
skip-quota = Maximum du jour atteint

forms-none-published = Aucun formulaire publié. Un nouveau commence comme brouillon et pose ses questions dès qu’il est publié.
forms-none-draft = Aucun brouillon.
forms-none-deleted = Aucun formulaire supprimé.
form-new = Nouveau formulaire
form-title = Titre
form-bus-props = Magasins ou groupes à comparer (un par ligne)
form-bus-props-note = Collez les noms de vos magasins tels qu’ils figurent dans votre fichier. Un autre type de groupe commence par son propre nom, par exemple « region:Nord ». Ou laissez vide : la campagne les ajoute à partir de votre fichier. Choisissez-y la colonne de regroupement et cliquez sur « Les ajouter au formulaire ».
form-type = Type
form-label = Question
form-place = Question { $value }
form-required = Obligatoire
number-scale = Valeur la plus élevée
form-add = Ajouter une question
move-up = Monter
move-down = Descendre
form-save = Enregistrer
form-preview = Aperçu
form-show-if = Afficher seulement si
form-labels = Traductions
form-piping = Insérer des données personnelles, par exemple { "{" }store_name|votre magasin{ "}" }
form-options = Choix
form-note = Les questions vides ne sont pas enregistrées.
form-removed = Questions retirées ({ $value })
form-restore = Rétablir
form-nps = Nous recommanderiez-vous à un ami ?
form-comment = Que devrions-nous savoir ?
form-begin = Sur quoi voulez-vous interroger ? Vous pourrez tout modifier ensuite.
form-intro = Texte avant la première question
form-thanks = Texte après la dernière question
form-language = Langue des questions
form-language-unsaid = Non choisie
form-language-note = Choisissez-la, pour que les boutons et les échelles s’affichent dans la même langue que les questions.
form-add-language = Traduire en
form-add-language-do = Ajouter la langue
form-missing = { $n ->
    [0] tous les textes sont là
    [one] il manque { $value } texte
   *[other] il manque { $value } textes
}
form-missing-one = manquant
form-unsaid = Non enregistré, faute de textes : { $value }
form-publish-missing = Là où un texte manque, il s’affiche dans la langue des questions.
form-next = Et maintenant
form-next-text = Personne n’a ouvert ce formulaire ces jours-là. Affichez un code QR dans vos magasins, ou envoyez le lien à vos clients avec une campagne.
form-option = Choix { $value }
form-option-text = avec un champ de texte (« Autre : … »)
form-options-note = Collez une liste pour ajouter un choix par ligne. Un choix vidé est retiré.
form-add-option = Ajouter un choix
form-show-always = Toujours affichée
form-show-answers = si la réponse est
form-condition-lost = (une question qui ne précède pas celle-ci)
form-links = Liens à la fin, par exemple confidentialité et mentions légales
form-link-label = Nom du lien
form-link-url = Adresse
template-blank = Formulaire vide
template-blank-note = Recommandation et commentaire, à modifier à votre guise.
template-visit = Après une visite
template-visit-note = Smileys, recommandation, ce qui pourrait être mieux, amabilité, commentaire.
template-visit-title = Comment s’est passée votre visite ?
template-visit-mood = Êtes-vous satisfait de votre visite ?
template-visit-better = Que devrions-nous améliorer ?
template-visit-better-choices = Temps d’attente | Conseil | Choix | Prix | Propreté | Autre chose
template-visit-staff = Notre personnel était-il aimable ?
template-delivery = Après une livraison
template-delivery-note = Smileys, ce qui n’allait pas, recommandation, commentaire.
template-delivery-title = Comment s’est passée votre livraison ?
template-delivery-mood = Êtes-vous satisfait de la livraison ?
template-delivery-wrong = Qu’est-ce qui n’allait pas ?
template-delivery-wrong-choices = Trop tard | Incomplète | Endommagée | Mauvais article | Le livreur | Autre chose
template-stay = Après un séjour
template-stay-note = Recommandation, ce qui pourrait être mieux, propreté, petit-déjeuner, personnel, commentaire.
template-stay-title = Comment s’est passé votre séjour ?
template-stay-better = Que devrions-nous améliorer ?
template-stay-better-choices = Propreté | Lit | Bruit | Petit-déjeuner | Wi-Fi | Prix | Autre chose
template-stay-clean = Votre chambre était-elle propre ?
template-stay-breakfast = Le petit-déjeuner était-il bon ?
template-stay-staff = Notre personnel était-il aimable ?
template-service = Après une intervention
template-service-note = Si le problème est résolu, ce qui reste à faire, smileys, recommandation, commentaire.
template-service-title = Comment s’est passée notre intervention ?
template-service-solved = Votre problème est-il résolu ?
template-service-solved-choices = Oui | En partie | Non
template-service-open = Que reste-t-il à faire ?
template-service-mood = Êtes-vous satisfait de notre technicien ?
template-one = Une seule question
template-one-note = La recommandation seule : dix secondes suffisent pour répondre.
template-one-title = Nous recommanderiez-vous ?
template-recommend = Quelle est la probabilité que vous nous recommandiez à vos amis ?
template-more = Y a-t-il autre chose que nous devrions savoir ?
template-intro = Cela prend moins d’une minute. Merci de nous aider à nous améliorer.
template-thanks = Vos réponses nous sont parvenues. Elles nous aident à nous améliorer.
type-nps = Recommandation, 0–10
type-happiness = Smileys
type-rating = Échelle
type-choice = Choix unique
type-choices = Choix multiple
type-text = Texte court
type-comment = Commentaire
type-taken-comment = un formulaire ne peut avoir qu’une question de commentaire ; utilisez ici « Texte court »
type-taken-nps = un formulaire ne peut avoir qu’une question de ce type
type-taken-happiness = un formulaire ne peut avoir qu’une question de ce type ; utilisez ici « Échelle »
people-add = Ajouter un membre de l’équipe
people-name-wrong = Un nom compte de 1 à 100 caractères visibles et ne commence pas par fk_ comme une clé.
people-name-taken = Quelqu’un porte déjà ce nom.
people-last-admin = Un compte garde au moins un administrateur.
name = Nom
password = Mot de passe
password-rule = Au moins 10 caractères
password-current = Mot de passe actuel
new-password = Nouveau mot de passe
password-change = Changer votre mot de passe
password-wrong = Le mot de passe actuel est incorrect.
password-too-short = Un mot de passe a au moins 10 caractères.
password-common = Ce mot de passe fait partie de ceux qui sont essayés en premier. Veuillez en choisir un plus rare, par exemple plusieurs mots.
password-name = Un mot de passe doit être plus que les noms de la personne et de l’entreprise.
password-same = Le nouveau mot de passe est le mot de passe actuel. Veuillez en choisir un autre.
password-must = Quelqu’un d’autre a défini votre mot de passe. Veuillez en choisir un que personne d’autre ne connaît ; vous pourrez ensuite continuer.
password-of-other = Cette personne en choisira un autre à sa prochaine connexion.
password-note = Toutes vos sessions prennent fin, et vous vous reconnectez.
own-account = Votre connexion
sessions = Vos sessions ouvertes
session-since = connexion le { $value }
session-own = ce navigateur
session-unknown = Navigateur inconnu
session-end = Y mettre fin
sessions-end = Se déconnecter partout ailleurs
sessions-note = Si vous ne reconnaissez pas une session, mettez-y fin et changez votre mot de passe.
second-factor = Second facteur
second-factor-off = Vous vous connectez avec votre seul mot de passe. Avec un second facteur, la connexion demande aussi un code d’une application de votre téléphone.
second-factor-on = La connexion demande aussi un code de l’application de votre téléphone.
second-factor-set-up = Configurer un second facteur
second-factor-see = Codes de secours, désactivation
second-factor-demanded = Votre entreprise demande à tous un second facteur. Veuillez configurer le vôtre ; vous pourrez ensuite continuer.
second-factor-unavailable = Un second facteur a besoin du réglage FEEDBACK_PEPPER, du ressort de la personne qui exploite ce service.
second-factor-app = Installez sur votre téléphone une application d’authentification, par exemple Google Authenticator ou Microsoft Authenticator, et scannez ce code avec elle.
second-factor-key = Si vous ne pouvez pas le scanner, saisissez cette clé dans l’application :
second-factor-qr = La clé sous forme de code QR
second-factor-confirm = Saisissez ensuite les six chiffres que l’application affiche
second-factor-wrong = Ce code est incorrect ou a déjà servi. Veuillez saisir le plus récent.
second-factor-turn-on = Activer
second-factor-turn-off = Désactiver
second-factor-take = Retirer le second facteur
sure-second-factor = { $value } se connectera alors avec son seul mot de passe, jusqu’à la configuration d’un nouveau second facteur. Est-il certain que la demande vient bien de cette personne ?
second-step = Confirmez que c’est bien vous
second-step-code = Code de votre application
second-step-note = Sans votre téléphone, saisissez l’un de vos codes de secours.
recovery-codes = Vos codes de secours
recovery-codes-note = Ils ne sont affichés que maintenant. Sans votre téléphone, chacun sert une fois à la place d’un code de l’application. Gardez-les là où personne d’autre ne les trouvera.
recovery-codes-kept = Je les ai gardés
recovery-codes-left = { $n ->
    [one] Il reste { $value } code de secours.
   *[other] Il reste { $value } codes de secours.
}
factor-is-free = Chacun décide s’il utilise un second facteur.
factor-is-demanded = Un second facteur est demandé à tous. Qui n’en a pas le configure avant toute autre chose.
factor-demand-on = Demander à tous un second facteur
factor-demand-off = Laisser le choix à chacun
role = Rôle
role-viewer = Lecture
role-editor = Édition
role-admin = Administration
roles-note = « Lecture » permet de consulter les rapports, « Édition » aussi de créer des formulaires, des campagnes et des importations, « Administration » aussi de gérer les personnes et les clés.
set-role = Changer le rôle
set = Enregistrer
remove = Retirer
keys-none = Il n’y a pas encore de clés.
key-made = Le secret ne s’affiche que maintenant
key-add = Créer une clé
scopes = Droits
scope-import = Importer et consulter les destinataires
scope-report = Lire les rapports et les réponses
scope-form = Modifier les formulaires et supprimer des réponses
scope-link = Créer des liens
scope-send = Gérer les campagnes et envoyer
scope-audit = Lire le journal
scope-retention = Définir la durée de conservation
last-sign-in = dernière connexion { $value }
no-sign-in = aucune connexion, aussi loin que remonte le journal
key-made-at = créée { $value }
last-used = dernière utilisation { $value }
never-used = jamais utilisée
revoked-at = révoquée { $value }
key-name-note = Facultatif : ce qui utilise la clé, par exemple la caisse de Lyon
key-name-wrong = Un nom compte de 1 à 80 caractères visibles.
key-scopes-wrong = Choisissez au moins un droit.
key-last-day = Dernier jour
key-last-day-note = Facultatif : la clé est refusée après ce jour. Un rappel s’affiche 14 jours avant.
key-last-day-wrong = Le dernier jour est aujourd’hui ou plus tard.
key-networks = Uniquement depuis
key-networks-note = Facultatif : les adresses ou réseaux depuis lesquels la clé peut être utilisée, séparés par des virgules. Elle est refusée depuis ailleurs.
key-networks-wrong = Ce ne sont pas des adresses ou des réseaux, comme 203.0.113.7 ou 203.0.113.0/24.
key-networks-of = uniquement depuis { $value }
key-ends = expire { $value }
key-ended = expirée { $value }
key-ends-soon = Ce qui utilise cette clé sera refusé ensuite. Créez-en une nouvelle à temps, et révoquez celle-ci dès que plus rien ne l’utilise.
erased-person = une personne effacée
access = Qui avait accès
access-on = Qui avait accès le { $value }
access-note = Toutes les personnes qui pouvaient ouvrir quelque chose de votre compte à un moment de ce jour.
access-day = Jour
access-since = Depuis
access-until = Jusqu’au
access-by = par { $value }
access-before-log = avant le début du journal
access-page = Page
access-none = Aucun.
access-more-shares = Plus de pages ont été partagées que celle-ci n’en peut montrer. Le journal les a toutes.
access-incomplete = Le journal commence après ce jour. Qui était déjà parti, ou avait un autre rôle, n’est pas affiché.
access-unknown = Ce que cette page ne peut pas savoir
access-unknown-log = Qui a reçu ou perdu l’accès avant le début du journal.
access-unknown-outcome = Quand le journal ignore ce qu’une modification a donné, elle compte comme faite si elle donnait accès, et comme non faite si elle le retirait.
access-unknown-servers = Qui a les serveurs, la base de données ou une sauvegarde. Votre exploitant le sait.
access-unknown-secrets = À qui quelqu’un a donné un mot de passe, le secret d’une clé ou le lien d’une page partagée.
audit-none = Le journal ne contient rien de tel.
audit-since = Le journal remonte jusqu’au { $value }.
audit-zone = Les heures sont celles du fuseau horaire { $value }.
audit-note = Ce que des personnes et des clés d’API ont modifié ici, qui s’est connecté ou a été refusé, chaque exportation et chaque numéro de téléphone affiché en entier, y compris en ligne de commande.
audit-command-line = Ligne de commande
audit-by-key = Clé d’API { $value }
audit-download = Télécharger (NDJSON)
audit-audit-export = Journal exporté
audit-answers-export = Réponses exportées
audit-answers-read = Réponses lues
audit-recipients-read = Liste des destinataires lue
audit-messages-read = Liste des messages lue
audit-recipients-export = Destinataires exportés
audit-messages-export = Messages exportés
audit-usage-export = Coûts exportés
audit-stores-export = Comparaison des magasins exportée
audit-import-export = Erreurs d’une importation exportées
audit-campaign-delete = Campagne supprimée
audit-campaign-resend = Messages renvoyés
audit-feedback-erase = Réponse effacée
audit-setting-replace = Réglages des messages enregistrés
audit-person-link = Lien pour choisir un mot de passe créé
audit-branding-set = Image de marque enregistrée
audit-campaign-create = Campagne créée
audit-campaign-replace = Campagne enregistrée
audit-campaign-test = Message de test demandé
audit-campaign-start = Campagne démarrée
audit-campaign-pause = Campagne suspendue
audit-campaign-resume = Campagne reprise
audit-campaign-finish = La campagne n’accepte plus d’importations
audit-campaign-cancel = Campagne arrêtée définitivement
audit-form-create = Formulaire créé
audit-form-replace = Formulaire enregistré
audit-form-publish = Formulaire publié
audit-form-delete = Formulaire supprimé
audit-form-try = Formulaire essayé
audit-form-sheet = Liens créés pour une feuille
audit-link-delete = Lien supprimé
audit-form-link = Lien créé
audit-import-upload = Fichier importé
audit-import-cancel = Importation annulée
audit-import-retry = Importation réessayée
audit-import-erase = Effacement des destinataires d’une importation commencé
audit-key-create = Clé d’API créée
audit-key-rotate = Secret d’une clé d’API remplacé
audit-key-revoke = Clé d’API révoquée
audit-password-change = Mot de passe changé
audit-person-add = Personne ajoutée
audit-person-role = Rôle changé
audit-person-password = Mot de passe d’une personne défini
audit-person-remove = Personne retirée
audit-session-end = Session terminée
audit-session-end-others = Toutes les autres sessions terminées
audit-second-factor-set = Second facteur configuré
audit-second-factor-remove = Second facteur désactivé
audit-person-second-factor = Second facteur d’une personne retiré
audit-account-factor-on = Second facteur demandé à tous
audit-account-factor-off = Second facteur laissé au choix de chacun
audit-recipient-export = Toutes les données d’un destinataire exportées
audit-recipient-erase = Destinataire effacé
audit-account-name = Nom de l’entreprise changé
audit-account-time-zone = Fuseau horaire changé
audit-account-retention = Conservation des données définie
audit-share-create = Page partagée
audit-share-withdraw = Partage retiré
audit-suppression-add = Numéro bloqué
audit-suppression-remove = Numéro débloqué
audit-sign-in-password = Connexion avec mot de passe
audit-sign-in-code = Connexion avec code
audit-sign-in-link = Connexion par lien
audit-sign-in-provider = Connexion par le fournisseur de l’entreprise
audit-session-sign-out = Déconnexion
audit-recipient-view = Numéro de téléphone consulté
audit-recipient-read = Destinataire consulté sans le numéro de téléphone
audit-refusals = { $n ->
    [one] première tentative en une heure
   *[other] { $value } tentatives en une heure
}
audit-wrong = refusé : mot de passe ou code incorrect
audit-kind-sign-in = Connexions
audit-kind-person = Personnes
audit-kind-key = Clés d’API
audit-kind-setting = Réglages
audit-kind-form = Formulaires, liens et pages partagées
audit-kind-campaign = Campagnes et importations
audit-kind-recipient = Destinataires et réponses
audit-kind-export = Exportations et listes lues
audit-about = Historique
audit-all = Tout afficher
audit-stored = Ce destinataire est enregistré :
audit-gone = Personne n’est enregistré sous ce numéro de client. Ce qui a été fait tant que cette personne l’était reste inscrit ici.
audit-changes = { $n ->
    [one] { $value } modification
   *[other] { $value } modifications
}
audit-before = avant
audit-after = après
audit-nothing = rien
audit-more = { $n ->
    [one] Une autre modification n’est pas conservée.
   *[other] { $value } autres modifications ne sont pas conservées.
}
audit-yes = oui
audit-no = non
member-name = Nom
member-text = Texte
member-form-id = Formulaire
member-sender = Expéditeur
member-audience = Qui le reçoit
member-audience-fields = avec les colonnes
member-on-import = personnes importées dans la campagne
member-batch-ids = importations
member-created-from = enregistrées à partir du
member-created-to = enregistrées jusqu’au
member-track-fields = Colonnes conservées avec chaque réponse
member-bus-props-from = Réponses regroupées par colonne
member-link-expires-after-days = Jours pendant lesquels un lien fonctionne
member-send-window = Heures d’envoi
member-from = de
member-to = à
member-days = jours
member-send-within-hours = Heures après lesquelles un message n’est plus envoyé
member-contact-gap-days = Jours depuis le dernier message à la même personne
member-max-parts = Nombre maximal de SMS par message
member-max-messages = Nombre maximal de messages
member-sample = Part des personnes interrogées
member-per-day = Nombre maximal de messages par jour
member-budget = Budget
member-month-budget = Budget du mois
member-amount = montant
member-currency = devise
member-starts-at = Début
member-delay-minutes = Minutes d’attente après l’importation
member-reminder = Rappel
member-after-days = jours d’attente
member-title = Titre
member-intro = Texte avant la première question
member-thanks = Texte après la dernière question
member-labels = dans d’autres langues
member-intro-labels = Texte avant la première question, dans d’autres langues
member-thanks-labels = Texte après la dernière question, dans d’autres langues
member-language = Langue
member-links = Liens à la fin
member-piping = Données personnelles insérées
member-bus-props = Magasins ou groupes
member-fields = Questions
member-label = texte
member-type = type
member-required = obligatoire
member-options = choix
member-options-text = avec un champ de texte
member-show-if = affichée seulement si
member-key = question
member-in = répondue par
member-logo = Logo
member-color = Couleur
member-stop-words = Mots qui désinscrivent
member-stop-reply = Réponse à qui se désinscrit
member-help-reply = Réponse à qui demande de l’aide
member-min-gap-days = Jours entre deux messages à la même personne
member-answers-days = Jours de conservation des réponses
member-visits-days = Jours de conservation des visites
member-messages-days = Jours de conservation des messages
member-audit-days = Jours de conservation du journal
member-time-zone = Fuseau horaire
audit-erased-with = Qui le portait a été effacé avec les destinataires d’une importation.
member-erased = Effacés
audit-done = fait
audit-refused = refusé : impossible
audit-forbidden = refusé : non autorisé
audit-failed = échec
audit-unknown = inconnu
when = Quand
who = Qui
what = Quoi
to-what = Objet
from-where = Adresse IP
came-to = Résultat

export = Exporter en CSV
xlsx-export = Exporter vers Excel
xlsx-about = À propos de ce fichier
xlsx-key = Nom pour les programmes
xlsx-meaning = Signification
xlsx-made = Exporté
xlsx-field = Venu avec l’importation ou le lien
xlsx-text-beside = Ce qui a été écrit à côté de ce choix
xlsx-low = NPS, borne inférieure
xlsx-high = NPS, borne supérieure
xlsx-yes = oui
links = Liens et codes QR
links-none = Ce formulaire n’a pas encore de liens, sauf ceux des campagnes.
link-new = Nouveau lien
link-create = Créer un lien
link-code = Code QR
link-unnamed = Sans nom
link-group-note = Sans choix, les réponses par ce lien ne comptent pour aucun magasin.
link-name-note = Vous seul voyez ce nom, par exemple « Ticket de caisse » ou « Affiche à l’entrée ».
link-kiosk = Beaucoup de personnes répondent sur le même appareil ou le même réseau, par exemple une tablette en magasin
sure-delete-link = Qui l’ouvre voit que le formulaire est fermé. Les réponses déjà reçues par ce lien restent.
sheet-of = Un lien par { $value }
sheet-text = { $n ->
    [one] { $value } valeur. Son lien compte les réponses pour elle ; imprimez son code QR et affichez-le sur place.
   *[other] { $value } valeurs. Chaque lien compte les réponses pour l’une d’elles ; imprimez les codes QR et affichez chacun à sa place.
}
sheet-open = Codes QR à imprimer
sheet-missing = { $n ->
    [one] { $value } lien manque encore.
   *[other] { $value } liens manquent encore.
}
sheet-make = Créer les liens manquants
sheet-print = Imprimez cette page depuis votre navigateur. Les liens restent les mêmes, aussi souvent que vous l’ouvrez.
sheet-print-now = Imprimer
form-try = Essayer
form-try-note = Les réponses par ce lien ne sont enregistrées nulle part.
form-try-scan = Ouvrez-le ici, ou scannez le code avec votre téléphone.
link-made = Un lien vers le formulaire
link-note = Quiconque l’ouvre voit le formulaire. Le code ci-dessous y mène aussi et peut être imprimé.
link-this-computer = Cette adresse ne s’ouvre que sur cet ordinateur, pas sur les téléphones. Avant de l’imprimer ou de l’envoyer, demandez à la personne qui exploite le service d’en régler l’adresse publique.
link-this-network = Cette adresse ne s’ouvre que dans votre propre réseau, pas sur les téléphones des clients. Avant de l’imprimer ou de l’envoyer, demandez à la personne qui exploite le service d’en régler l’adresse publique.
link-qr = Le lien sous forme de code QR
link-counts = Compte pour { $value }
link-personal = Il est destiné à certaines personnes : seul le rôle « Édition » voit son adresse.
link-svg = Télécharger en SVG
link-png = Télécharger en PNG
suppressions = Liste de blocage
recipient-blocked = Ce numéro ne reçoit aucun message. Bloqué depuis :
suppressions-none = Personne ne s’est désabonné, et aucun numéro n’a été bloqué à la main.
suppression-source = Comment
suppression-change = Bloquer ou débloquer un numéro
suppression-add = Bloquer le numéro
suppression-remove = Débloquer
gap = Pas trop souvent
gap-days = Jours entre deux messages à la même personne
gap-note = Cela vaut pour toutes vos campagnes ensemble : toute personne qui a reçu un message plus récemment n’en reçoit pas et figure sous « Contacté récemment ». 0 signifie : aucune limite. Les rappels et les tests ne comptent pas. Une campagne peut demander davantage de jours.
suppressed-inbound = Par SMS
suppressed-provider = Par l’opérateur
suppressed-page = Sur la page du formulaire
suppressed-api = Ajouté à la main

branding = Image de marque
branding-note = Pour les pages derrière vos liens : quiconque en ouvre une voit à qui elle est. Laissez vide pour garder la valeur par défaut.
branding-name = Votre nom, tel que vos clients le connaissent
branding-color = Couleur
branding-language = Langue des formulaires qui n’en indiquent pas
branding-default = Par défaut
branding-logo = Logo (PNG, JPEG, WebP ou SVG, 100 ko au plus)
branding-no-logo = Retirer le logo
branding-noscript = Choisir un logo demande JavaScript ; le reste s’en passe.
branding-large = Le logo dépasse 100 ko.
branding-preview-note = Un nouveau logo apparaît ici une fois enregistré.
branding-save = Enregistrer
language-en = Anglais
language-de = Allemand
language-fr = Français

# Les pages derrière les liens.
public-trial = Vous essayez ce formulaire : vos réponses ne sont enregistrées nulle part.
public-required = (obligatoire)
public-error = Erreur :
public-check = Veuillez vérifier vos réponses
public-busy = Trop de personnes répondent en ce moment
public-busy-text = Vos réponses ne sont pas encore envoyées. Tout ce que vous avez saisi est ci-dessous : patientez un instant et renvoyez-le.
public-enough = Beaucoup de réponses sont déjà venues de votre réseau
public-enough-text = Vos réponses ne sont pas encore envoyées ; il y aura de nouveau de la place d’ici une heure. Tout ce que vous avez saisi est ci-dessous : renvoyez-le plus tard.
public-unsaved = Nous n’avons pas pu enregistrer vos réponses
public-unsaved-text = Tout ce que vous avez saisi est ci-dessous : patientez un instant et renvoyez-le.
public-send = Envoyer mon avis
public-stop = Plus de messages
public-stop-sure = Voulez-vous ne plus recevoir de messages de cet expéditeur ?
public-stop-yes = Oui, plus de messages
public-stop-text = Vous ne recevrez plus de messages de cet expéditeur. Vous pouvez fermer cette page.
public-unstopped = Veuillez répondre STOP
public-unstopped-text = Votre numéro a été effacé ici : cette page ne peut donc pas arrêter les messages qui lui sont envoyés. Répondez STOP au message, et vous n’en recevrez plus.
public-thanks = Merci beaucoup
public-thanks-text = Votre avis nous est parvenu. Vous pouvez fermer cette page.
public-nothing = Il n’y a pas de formulaire ici
public-nothing-text = Le lien est peut-être incomplet. Vérifiez qu’il est entier, ou demandez à la personne qui vous l’a envoyé.
public-closed = Ce lien n’accepte plus de réponses
public-closed-text = Si vous avez déjà répondu : merci, vos réponses sont bien arrivées. Sinon, le formulaire est fermé entre-temps.
public-late = Ce formulaire est fermé
public-late-text = Il a fermé avant l’arrivée de vos réponses, et elles ne sont pas enregistrées. Elles sont ci-dessous, si vous souhaitez les copier.
public-answers = Vos réponses
public-kept = Vos réponses ne sont pas encore envoyées
public-kept-text = Nous n’avons pas pu les recevoir à l’instant. Elles restent sur cette page : patientez un instant et renvoyez-les.
public-again = Renvoyer
public-large = C’est trop à la fois
public-large-text = Revenez en arrière, raccourcissez vos réponses et renvoyez-les.
public-many = Veuillez patienter un instant
public-many-text = Il y a trop de demandes en ce moment. Réessayez dans quelques secondes.
public-unread = Nous n’avons pas pu lire cela
public-unread-text = Rouvrez le lien et remplissez-y le formulaire.
public-broken = Un problème est survenu chez nous
public-broken-text = Veuillez réessayer dans quelques minutes.
public-choose = Veuillez choisir une réponse.
public-choose-grade = Veuillez choisir de { $value }.
public-choose-one = Veuillez choisir une des réponses proposées.
public-choose-some = Veuillez choisir au moins une réponse.
public-other = Précisez
public-write = Veuillez écrire une réponse.
public-character = Un caractère ne peut pas être enregistré. Veuillez retaper le texte.
public-shorten = { $n ->
    [one] Veuillez raccourcir de { $value } caractère.
   *[other] Veuillez raccourcir de { $value } caractères.
}
public-limit = { $value } caractères au plus.
public-left = Caractères restants : { $value }
public-over = Caractères en trop : { $value }
public-clear = Effacer cette réponse
public-unanswered = Rien n’est encore répondu. Veuillez répondre à au moins une question.
public-changed = Le formulaire a changé depuis que vous l’avez ouvert. Vérifiez vos réponses et renvoyez-les.
public-nps-0 = pas du tout probable
public-nps-10 = extrêmement probable
public-lowest = le moins bien
public-highest = le mieux
public-happiness-1 = Très mécontent
public-happiness-2 = Mécontent
public-happiness-3 = Neutre
public-happiness-4 = Content
public-happiness-5 = Très content

# Pourquoi l’API a refusé quelque chose, d’après son code et, là où c’est indiqué, d’après ce qui n’allait pas. `$value` est sa
# propre phrase, `$high` le dernier nombre de celle-ci, `$low` celui d’avant.
refused-invalid-parameter = Une valeur de l’adresse n’est pas valable.
refused-invalid-json = Ce n’est pas le JSON attendu (« { $value } »).
refused-invalid-csv = Ce n’est pas le CSV attendu (« { $value } »).
refused-invalid-form = La page n’est pas arrivée telle qu’elle est. Rouvrez-la et recommencez.
refused-unauthenticated = Veuillez vous connecter.
refused-forbidden = Votre rôle ne le permet pas, ou la page est périmée. Rouvrez la page ou demandez à un administrateur.
refused-role = Votre rôle (« { $value } ») ne le permet pas. Demandez à un administrateur.
refused-not-found = Cette page n’existe pas, ou ce qu’elle montrait a été supprimé.
refused-method-not-allowed = Cela n’est pas possible à cette adresse.
refused-body-too-slow = Les données sont arrivées trop lentement.
refused-form-not-published = Le formulaire n’est pas publié.
refused-form-transition = L’état du formulaire ne le permet pas.
refused-form-in-use = Le formulaire est publié ; ce sur quoi reposent ses liens, ses réponses et ses rapports ne peut plus changer.
refused-upgrade-unfinished = Ce ne sera possible qu’une fois la mise à jour de ce service terminée (feedback migrate finish).
refused-campaign-transition = L’état de la campagne ne le permet pas.
refused-campaign-not-running = La campagne n’est pas en cours.
refused-batch-finished = L’importation est déjà au-delà.
refused-idempotency-in-flight = La même demande est encore en cours.
refused-link-gone = Il a déjà servi, a expiré ou a été retiré. Demandez-en un nouveau à la personne qui vous l’a envoyé.
refused-precondition-failed = Cela a changé entre-temps.
refused-body-too-large = C’est trop volumineux.
refused-too-many-records = Il y a trop d’enregistrements à la fois.
refused-unsupported-media-type = Ce genre de fichier n’est pas accepté ici.
refused-validation-failed = Quelque chose ne va pas dans les données ; rien n’a été enregistré.
refused-idempotency-key-reused = Une autre demande est déjà venue sous cette clé.
refused-too-many-track-fields = Un lien garde 6 colonnes au plus.
refused-sender-unknown = Cet expéditeur n’existe pas.
refused-sender-not-allowed = Le compte ne peut pas utiliser cet expéditeur.
refused-public-url-local = Les liens ne s’ouvriraient que sur cet ordinateur. Réglez d’abord l’adresse publique du service.
refused-rate-limited = Trop de tentatives. Veuillez patienter un instant.
refused-internal = Un problème est survenu chez nous. Veuillez réessayer plus tard.
refused-unavailable = Ce qu’il faut pour cela n’est pas disponible pour l’instant. Veuillez réessayer tout à l’heure.
refused-busy = Il y a trop à faire en ce moment. Veuillez réessayer tout à l’heure.
refused-missing = Cela manque.
refused-wrong-type = Ce n’est pas le bon genre de valeur.
refused-blank = C’est vide.
refused-too-long = C’est trop long : { $high } au plus.
refused-too-many = Il y en a trop : { $high } au plus.
refused-malformed = Ce n’est pas écrit comme il faut ({ $value }).
refused-malformed-text = Doit contenir { "{" }link{ "}" } une fois, avec une espace avant et après. À chaque { "{" } il faut un { "}" }.
refused-malformed-bus-props = Dans « { $value } », il manque le nom avant ou après le deux-points.
refused-malformed-color = Écrivez une couleur telle que #2c4cc4.
refused-malformed-logo = Choisissez une image : PNG, JPEG, WebP ou SVG sans scripts.
refused-malformed-phone = { refused-phone-invalid }
refused-too-long-logo = { branding-large }
refused-too-many-logo = Le dessin répète ses éléments jusqu’à en avoir plus de { $high }. Choisissez-en un plus simple.
refused-blank-label = Écrivez le texte ici, ou videz aussi ses traductions.
refused-blank-title = Donnez un titre au formulaire.
refused-missing-options = Ajoutez au moins un choix.
refused-missing-language = Choisissez la langue des questions.
refused-missing-in = Choisissez au moins une réponse.
refused-malformed-url = L’adresse doit commencer par https://
refused-duplicate-type = Un formulaire a une seule question de ce type.
refused-duplicate-text = Un seul choix d’une question peut avoir un champ de texte.
refused-control-character = Un caractère ne peut pas être enregistré.
refused-duplicate = Cela y figure deux fois.
refused-unknown-member = Cela n’est pas connu ici.
refused-unknown-type = Ce type de question n’est pas possible ici.
refused-unknown-id = Cela n’existe plus.
refused-reserved = Ce nom est réservé au service.
refused-out-of-range = Saisissez un nombre entier de { $low } à { $high }.
refused-wrong-type-amount = Saisissez un montant comme 500 ou 99,50.
refused-out-of-range-amount = Saisissez un montant comme 500 ou 99,50.
refused-not-offered-budget = Les expéditeurs de la campagne n’ont pas tous un prix dans cette devise : rien ne dirait ce qui est dépensé.
refused-not-offered-month-budget = Vos expéditeurs n’ont pas tous un prix dans cette devise : rien ne dirait ce qui est dépensé.
refused-not-offered = Ce choix n’est pas proposé.
refused-unknown-key = Aucune question précédente ne convient.
refused-retired = Cette question n’est plus posée.
refused-hidden = Cette question n’est pas posée avec les autres réponses.
refused-type-changed = Le type d’une question ne peut pas changer après la publication.
refused-scale-changed = L’échelle d’une question ne peut pas changer après la publication.
refused-bus-prop-changed = Un groupe ne peut pas être renommé après la publication.
refused-made-required = Une question facultative ne peut pas devenir obligatoire après la publication.
refused-not-an-object = Ce ne sont pas les données d’une personne.
refused-docid-missing = Le numéro de client manque.
refused-docid-invalid = Le numéro de client est vide, trop long ou contient un caractère qui ne peut pas être enregistré.
refused-docid-duplicate = Le même numéro de client figure plus haut dans le fichier. C’est cette ligne-là qui compte.
refused-phone-missing = Le numéro de téléphone manque.
refused-phone-invalid = Écrivez le numéro avec l’indicatif du pays : +33612…
refused-phone-invalid-damaged = Excel a raccourci ce numéro, comme 4,9E+11 : ses derniers chiffres sont perdus.
refused-phone-invalid-no-digit = Ce n’est pas un numéro de téléphone.
refused-phone-invalid-too-short = Ce numéro a trop peu de chiffres.
refused-phone-invalid-too-long = Ce numéro a trop de chiffres.
refused-phone-invalid-other = Ce n’est pas un numéro de téléphone valable.
refused-docid-invalid-damaged = { refused-phone-invalid-damaged }
refused-docid-invalid-no-digit = { refused-phone-invalid-no-digit }
refused-docid-invalid-too-short = { refused-phone-invalid-too-short }
refused-docid-invalid-too-long = { refused-phone-invalid-too-long }
remedy-not-an-object = Adressez-vous à l’auteur du fichier : chaque personne doit avoir des noms et des valeurs.
remedy-docid-missing = Saisissez le numéro de client, ou choisissez une autre colonne comme numéro de client.
remedy-docid-invalid = Saisissez un numéro de client de 128 caractères au plus.
remedy-docid-invalid-damaged = { remedy-phone-invalid-damaged }
remedy-docid-duplicate = Rien, s’il s’agit de la même personne. Sinon, donnez à chacune son propre numéro de client.
remedy-phone-missing = Saisissez le numéro de téléphone, ou laissez la ligne de côté.
remedy-phone-invalid-damaged = Mettez la colonne au format texte dans Excel, saisissez les numéros de nouveau et enregistrez.
remedy-phone-invalid-no-digit = Corrigez-le dans votre fichier et importez celui-ci de nouveau, ou laissez la ligne de côté.
remedy-phone-invalid-too-short = Comparez le numéro avec sa source et complétez les chiffres qui manquent.
remedy-phone-invalid-too-long = Comparez le numéro avec sa source. Une cellule ne peut contenir qu’un seul numéro.
remedy-phone-invalid-other = Écrivez le numéro avec l’indicatif du pays, comme +33612…, ou choisissez le pays des numéros.
remedy-phone-invalid = { remedy-phone-invalid-other }
remedy-field-name-invalid = Donnez à la colonne un nom de 64 caractères au plus, ou laissez-la de côté.
remedy-field-not-string = Mettez la valeur entre guillemets.
remedy-field-too-long = Raccourcissez le texte à 1 000 caractères, ou laissez la colonne de côté.
remedy-field-invalid = Saisissez le texte de nouveau.
remedy-too-many-fields = Laissez des colonnes de côté.
remedy-duplicate-member = Renommez l’une des deux colonnes, ou laissez-la de côté.
remedy-row-width = Cherchez dans cette ligne un séparateur ou un guillemet manquant ou en trop.
refused-field-name-invalid = Le nom de la colonne est vide, trop long ou contient un caractère qui ne peut pas être enregistré.
refused-field-not-string = Ce doit être un texte.
refused-field-too-long = Ce texte est trop long.
refused-field-invalid = Ce texte contient un caractère qui ne peut pas être enregistré.
refused-too-many-fields = La ligne a plus de 64 colonnes.
refused-duplicate-member = Deux colonnes ont le même nom.
refused-row-width = La ligne n’a pas autant de colonnes que la première.
