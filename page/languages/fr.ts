import type { Language } from './en.ts';
import { formatsIn } from './formats.ts';

const { list, time, clock, date, duration } = formatsIn('fr');

const COUNTS = ['zéro', 'un', 'deux', 'trois', 'quatre'];
const ROUTING = 'Conduit les visiteurs de votre domaine vers le service.';
const CHALLENGE =
  'Permet au service d’obtenir le certificat et de le renouveler. Si votre fournisseur propose de faire passer cet enregistrement par un proxy, désactivez cette option.';

export const fr: Language = {
  tag: 'fr',
  space: ' ',
  texts: {
    space: ' ',
    colon: ' : ',
    title: (name) => `Connecter ${name}`,
    titleLive: (name) => `${name} est en ligne`,
    connect: 'Connectez votre domaine',
    punycode: 'Dans le DNS :',
    loading: 'Ouverture de votre lien…',
    noScript: 'Cette page a besoin de JavaScript pour montrer ce que votre domaine attend.',
    unreachable: 'Le service est injoignable. Nouvelle tentative…',
    lost: 'La connexion est interrompue. Reconnexion… Les vérifications continuent et rien n’est perdu.',
    crowded:
      'Ce lien est ouvert dans trop d’onglets. Fermez ceux dont vous n’avez pas besoin : celui-ci reprendra automatiquement.',
    hints: {
      records: () => 'Ajoutez ces enregistrements. Copiez chaque nom et chaque valeur à l’identique.',
      add: ({ type }) => `Ajoutez cet enregistrement ${type}. Copiez son nom et sa valeur à l’identique.`,
      change: ({ type, count }) =>
        count > 1
          ? 'Modifiez ces enregistrements : remplacez ce qui est barré.'
          : `Modifiez l’enregistrement ${type} : remplacez sa valeur.`,
      rename: ({ type, count }) =>
        count > 1
          ? 'Modifiez ces enregistrements : remplacez ce qui est barré.'
          : `Modifiez l’enregistrement ${type} : remplacez son nom.`,
      exchange: () => 'Échangez les noms des deux enregistrements.',
      replace: ({ type, removes }) =>
        `Supprimez ${removes.length > 1 ? 'les enregistrements' : 'l’enregistrement'} ${list(removes)} de ce nom. Ajoutez aussitôt cet enregistrement ${type}.`,
      delete: ({ type }) => `Supprimez l’enregistrement ${type}.`,
      caa: () => 'Ajoutez cet enregistrement CAA. Gardez les enregistrements CAA déjà présents.',
    },
    logIn: (zone) =>
      zone === null
        ? 'Connectez-vous là où vous gérez votre DNS.'
        : `Connectez-vous là où vous gérez le DNS de ${zone}.`,
    logInAt: (provider) => `Connectez-vous à votre compte ${provider}.`,
    alsoAdd: (type) => (type === null ? 'Ajoutez aussi ce qui manque.' : `Ajoutez aussi l’enregistrement ${type}.`),
    mayKeep: 'Cette adresse est-elle celle de votre propre proxy ? Alors gardez-la : l’enregistrement TXT suffit.',
    noTxt: 'L’enregistrement TXT n’est pas nécessaire.',
    withoutWww: (name, www) => `Cette page ne configure que ${name} : ${www} se configure séparément.`,
    comeBack: 'Revenez ici. Cette page se met à jour automatiquement.',
    details: 'Réponse de l’autorité de certification',
    stages: {
      publish: ({ provider, records }) => ({
        title: `Ajoutez ${records === 1 ? 'cet enregistrement' : `ces ${COUNTS[records] ?? records} enregistrements`} ${provider === undefined ? 'à votre DNS' : `chez ${provider}`}`,
        text: '',
      }),
      one_found: ({ found, lacking }) => ({
        title: `${found === 1 ? 'Un enregistrement trouvé' : 'Deux enregistrements trouvés'}, il en manque ${COUNTS[lacking] ?? lacking}`,
        text: 'Il faut souvent une minute ou deux à votre fournisseur pour publier un enregistrement.',
      }),
      unseen: () => ({
        title: 'Nous ne pouvons pas lire votre DNS pour le moment',
        text: 'Cela vient de nous. Vous n’avez rien à faire : nous réessayons automatiquement. Les enregistrements ci-dessous restent valables ; vous pouvez déjà les ajouter.',
      }),
      fix: ({ missing, wrong }) => ({
        title: `${wrong > 1 ? 'Deux modifications' : 'Une modification'} à faire${missing === 0 ? '' : `, ${missing === 1 ? 'un enregistrement' : `${COUNTS[missing] ?? missing} enregistrements`} à ajouter`}`,
        text: '',
      }),
      confirming: ({ needsCaa }) => ({
        title: needsCaa ? 'Trouvé. Il manque un enregistrement CAA' : 'Trouvé. Dernière vérification',
        text: needsCaa
          ? 'Nous interrogeons encore une fois tous les serveurs de noms. En attendant, ajoutez l’enregistrement CAA : le certificat en a besoin.'
          : 'Tout ce qu’il faut est là. Nous interrogeons encore une fois tous les serveurs de noms ; vous n’avez rien à faire.',
      }),
      preparing: () => ({
        title: 'Nous obtenons d’abord votre certificat',
        text: 'En attendant, votre site reste où il est. Ne modifiez pas encore son enregistrement : cette page vous dira quand le faire.',
      }),
      ready: () => ({
        title: 'Votre certificat est prêt. Modifiez maintenant cet enregistrement',
        text: 'Remplacez l’enregistrement qui mène à votre site actuel. Vos visiteurs ne remarqueront rien. Gardez l’ancien serveur en marche pendant une heure : certains y arrivent encore.',
      }),
      failed: () => ({
        title: 'Les vérifications sont arrêtées',
        text: 'Vérifiez les enregistrements ci-dessous, puis relancez les vérifications : les valeurs ne changent pas.',
      }),
      certificate: () => ({
        title: 'Enregistrements trouvés. Place au certificat',
        text: 'Une autorité de certification est en train de l’émettre. Cela prend en général moins d’une minute ; vous n’avez rien à faire.',
      }),
      certificate_blocked: () => ({ title: 'Il manque encore une chose pour le certificat', text: '' }),
      certificate_refused: ({ platform }) => ({
        title: 'Nous nous en occupons',
        text: `Le certificat de votre domaine n’a pas été émis. Vous n’avez rien à changer : ${platform ?? 'le service'} peut voir pourquoi. Nous réessayons automatiquement.`,
      }),
      live: () => ({
        title: 'Votre site est en ligne',
        text: 'Il est servi en HTTPS. Vous pouvez fermer cette page. Gardez les enregistrements tels quels : nous les vérifions une fois par jour.',
      }),
      live_at_risk: ({ isGone }) => ({
        title: isGone
          ? 'Vos visiteurs ne trouvent pas votre site : un enregistrement a disparu'
          : 'En ligne, mais quelque chose a changé',
        text: '',
      }),
    },
    progress: 'Progression',
    steps: { dns: 'DNS', certificate: 'Certificat', live: 'En ligne' },
    stepStates: { done: 'Terminé', current: 'En cours', problem: 'À vérifier', waiting: 'Pas encore' },
    yourTurn: 'À vous',
    movingFirst:
      'Ce nom mène-t-il déjà à un site ? Lisez « Changer sans interruption » ci-dessous avant de modifier quoi que ce soit.',
    movingTitle: 'Changer sans interruption',
    movingText:
      'Ce nom mène-t-il déjà à un site ? Ajoutez d’abord l’enregistrement TXT et celui-ci, et laissez les autres. Cette page vous dira quand le certificat est prêt, et quel enregistrement modifier alors.',
    movingPurpose:
      'Nous permet d’obtenir le certificat avant le changement. Si votre fournisseur propose de le faire passer par un proxy, désactivez cette option.',
    records: 'Enregistrements',
    otherRecords: 'Autres enregistrements',
    recordStates: {
      unknown: 'Recherche…',
      found: 'Trouvé',
      hidden: 'Masqué par votre fournisseur',
      missing: 'Pas encore trouvé',
      misplaced: 'Mauvais nom',
      gone: 'Disparu',
      wrong: 'À modifier',
      unreadable: 'Illisible',
      not_needed: 'Pas nécessaire actuellement',
      later: 'Pas encore',
    },
    purposes: {
      routing: { yes: ROUTING, no: ROUTING, alternative: ROUTING },
      ownership: {
        yes: 'Prouve que le domaine est à vous.',
        no: 'Prouve que le domaine est à vous. L’autre enregistrement l’a déjà fait.',
        alternative: 'Prouve que le domaine est à vous, même si votre fournisseur masque l’autre enregistrement.',
      },
      challenge: { yes: CHALLENGE, no: CHALLENGE, alternative: CHALLENGE },
    },
    recordTitle: (type) => `Enregistrement ${type}`,
    alias: 'Votre fournisseur l’appelle peut-être ALIAS, ANAME ou « CNAME flattening ».',
    noAlias: (count) =>
      `Votre fournisseur ne propose rien de tel ? Ajoutez alors ${count === 1 ? 'cet enregistrement' : 'ces enregistrements'} à la place, sous le même nom, et aucun autre enregistrement A ou AAAA.`,
    caaState: 'À ajouter',
    caaPurpose:
      'Le domaine n’autorise que d’autres autorités de certification. Cet enregistrement autorise aussi la nôtre.',
    flags: 'Flags',
    tag: 'Tag',
    name: 'Nom',
    value: 'Valeur',
    emptyName: 'Laissez vide',
    fullName: 'Nom complet',
    fullNameHint: 'La plupart des fournisseurs le veulent sans la zone : « @ », ou rien, pour la zone elle-même.',
    nameUnknown: 'Attendez un instant avant de le saisir : nous regardons comment votre fournisseur l’attend.',
    instead: 'Actuellement',
    replacedBy: 'À remplacer par',
    ttl: 'Laissez le TTL tel quel.',
    copy: 'Copier',
    copied: 'Copié',
    copyWhat: (what, type) => ` : ${what.toLowerCase()} de l’enregistrement ${type}`,
    copyDone: 'Copié dans le presse-papiers.',
    copyFailed: 'La copie a échoué. Sélectionnez le texte et copiez-le vous-même.',
    seenNow: 'Visible actuellement',
    seen: {
      matched: 'La bonne valeur',
      leads_here: 'Mène ici',
      other: 'Trouvé',
      absent: 'Rien',
      unreadable: 'Pas de réponse',
    },
    at: 'sur',
    panel: (provider) => `Ouvrir ${provider}`,
    opensInNewTab: ' (s’ouvre dans un nouvel onglet)',
    dnsOnly: 'Réglez « Statut du proxy » sur « DNS uniquement » (« DNS only »).',
    panels: {
      cloudflare: (zone) => `${zone} › DNS › Enregistrements`,
      ovh: (zone) => `Noms de domaine › ${zone} › Zone DNS`,
      gandi: (zone) => `Nom de domaine › ${zone} › Enregistrements DNS`,
    },
    whereUnknown: (nameservers) =>
      `C’est souvent là où vous avez acheté le domaine. ${nameservers.length === 0 ? '' : `Ses serveurs de noms sont ${list(nameservers)}. `}Cherchez « Enregistrements DNS » ou « Zone DNS ».`,
    whereShort: (zone) => `Sur place : ${zone} › Enregistrements DNS.`,
    connectAt: (provider) => `Connecter avec ${provider}`,
    connectHow: (host) =>
      `Vous vous connectez sur ${host} et donnez votre accord. Votre fournisseur ajoute ensuite les enregistrements pour vous.`,
    connectDone:
      'Vous revenez de chez votre fournisseur. Nous cherchons maintenant les enregistrements ; cela peut prendre une minute.',
    connectRefused:
      'Votre fournisseur n’a pas ajouté les enregistrements. Rien n’est perdu : réessayez, ou ajoutez-les vous-même ci-dessous.',
    checkNow: 'Vérifier maintenant',
    tryAgain: 'Relancer les vérifications',
    checking: 'Vérification…',
    checkAgain: (seconds) => `Vérifier à nouveau dans ${duration(seconds)}`,
    asked: {
      same: (at) => `Vérifié à ${clock(at)} : encore rien de nouveau.`,
      changed: (at) => `Vérifié à ${clock(at)}.`,
      busy: (at) =>
        `Pas vérifié à ${clock(at)} : trop de vérifications à la fois. Attendez que le bouton ait fini son compte à rebours.`,
      failed: (at) => `Vérification impossible à ${clock(at)} : pas de connexion. Réessayez.`,
    },
    nextCheck: (seconds) => `Prochaine vérification dans ${duration(seconds)}.`,
    checkingSoon: 'Vérification imminente.',
    until: (at) => `Nous vérifions jusqu’au ${time(at)}.`,
    nextTry: (at, seconds) =>
      seconds > 0
        ? `Prochaine tentative ${seconds > 5400 ? `le ${time(at)}` : `dans ${duration(seconds)}`}.`
        : 'Prochaine tentative imminente.',
    nextTrySees: 'Elle tiendra compte de ce que vous aurez modifié d’ici là.',
    visit: (name) => `Ouvrir ${name}`,
    validUntil: (at) => `Le certificat est valide jusqu’au ${date(at)} et sera renouvelé avant.`,
    sendOn: 'Quelqu’un d’autre gère votre DNS ? Transmettez-lui ces enregistrements',
    sendOnWarning: 'Toute personne qui a le lien peut ouvrir cette page. Ne l’envoyez qu’à des personnes de confiance.',
    sendOnWithoutLink:
      'Il n’y a pas de lien vers cette page ici. Copiez les enregistrements et collez-les dans un message.',
    sendByMail: 'Envoyer par e-mail',
    sendCopy: 'Tout copier',
    sendCopyWhat: ' : les enregistrements en texte',
    sendCode: 'QR code avec le lien vers cette page',
    sendCodeText: 'Scannez-le pour continuer sur votre téléphone.',
    sent: {
      subject: (name) => `Enregistrements DNS pour ${name}`,
      ask: (name, count) =>
        count === 1
          ? `Merci d’ajouter cet enregistrement DNS pour ${name} :`
          : `Merci d’ajouter ces enregistrements DNS pour ${name} :`,
      fill: ' ',
      instead: 'Ou, si le fournisseur ne propose pas ce type :',
      link: 'Cette page montre si les enregistrements ont été trouvés et, sinon, ce qui ne va pas :',
    },
    type: 'Type',
    help: 'Une question ?',
    contact: (name) => (name === undefined ? 'Contacter l’assistance' : `Contacter ${name}`),
    askWhom: (name, hasAddress) =>
      `Demandez-en un nouveau à ${name ?? 'la personne qui vous l’a envoyé'}${hasAddress ? ' : ' : '.'}`,
    ends: {
      unknown: {
        title: 'Ce lien ne fonctionne pas',
        text: 'Il est inconnu ici : le domaine a peut-être été supprimé.',
      },
      incomplete: {
        title: 'Ce lien est incomplet',
        text: 'Une partie manque ou a été modifiée. Ouvrez le lien tel que vous l’avez reçu, ou copiez-le en entier.',
      },
      expired: {
        title: 'Ce lien a expiré',
        text: 'Les liens ne fonctionnent qu’un certain temps. Vos enregistrements et leurs valeurs ne changent pas.',
      },
      revoked: { title: 'Ce lien a été révoqué', text: 'Il a été remplacé ou ne doit plus être utilisé.' },
      deleted: {
        title: 'Le domaine a été supprimé',
        text: 'Sa configuration est arrêtée. Ce que vous avez publié ne gêne en rien.',
      },
      disabled: {
        title: 'La configuration est désactivée',
        text: 'Le compte auquel ce lien appartient est désactivé. Adressez-vous à la personne qui vous a envoyé le lien. Vos enregistrements et leurs valeurs ne changent pas.',
      },
      denied: {
        title: 'Cette page ne peut pas s’afficher ici',
        text: 'Le service ne répond pas aux requêtes de cette page.',
      },
    },
  },
  findings: {
    atProvider: (t) => `chez ${t.provider}`,
    inZone: (t) => `dans les paramètres DNS de ${t.zone}`,
    atRegistrar: (t) => `chez le bureau d’enregistrement de ${t.zone}`,
    inZoneAbove: (t) => `dans les enregistrements NS de ${t.zone} dans la zone parente`,

    entry: (t) => `Nom : ${t.entered}, valeur : ${t.value}.`,
    entryUnnamed: (t) => `Nom : laissez vide, valeur : ${t.value}.`,
    entryName: (t) => `Nom : ${t.entered}.`,
    entryNameEmpty: 'Nom : laissez vide.',
    entryCaa: (t) => `Flags : ${t.flags}, tag : ${t.tag}, valeur : ${t.value}.`,

    noRecord: (t) => `Il n’y a pas d’enregistrement ${t.type} sous ${t.at}.`,
    noAddress: (t) => `${t.at} n’a pas d’adresse et reste donc inaccessible.`,
    asked: (t) => `Serveurs de noms interrogés : ${t.servers}.`,
    otherProviderUnseen: 'Les enregistrements créés chez un autre fournisseur ne sont pas visibles.',
    zoneOfItsOwn: (t) =>
      `${t.ownZone} est une zone à part : ce qui est publié dans la zone ${t.zoneAbove} n’y est pas visible.`,
    atOtherName: (t) => `L’enregistrement ${t.type} se trouve sous ${t.name} ; il doit être sous ${t.at}.`,
    zoneAppended: (t) => `Le fournisseur DNS ajoute ${t.zone} à chaque nom saisi.`,
    textToo: (t) => `L’enregistrement TXT se trouve sous ${t.otherName}.`,
    notPunycode: (t) =>
      `L’enregistrement ${t.type} porte un nom avec des caractères spéciaux. Pour le DNS, ce n’est pas le nom ${t.at}.`,
    textInstead: 'Il faut un enregistrement TXT à la place : aucun autre ne peut coexister avec un CNAME.',
    textOptional: 'Avec un enregistrement CNAME correct, le domaine n’a pas besoin d’enregistrement TXT.',
    valuesSwapped: (t) => `L’enregistrement TXT de ${t.at} contient la valeur de l’enregistrement CNAME, ${t.first}.`,
    namesSwapped: (t) =>
      `Les noms des deux enregistrements sont inversés : le CNAME est sous ${t.at} et le TXT sous ${t.otherName}.`,
    proofInCname: (t) =>
      `La valeur qui prouve que le domaine est à vous est dans un enregistrement CNAME sous ${t.at} ; elle doit être dans un enregistrement TXT.`,
    targetInOther: (t) =>
      `Sous ${t.at}, la valeur ${t.expected} est dans un enregistrement ${t.removes} ; elle doit être dans un enregistrement CNAME.`,
    nameAbsent: 'Ce nom n’existe pas dans le DNS.',

    leadsTo: (t) => `${t.at} est un CNAME vers ${t.chain}.`,
    hostUnknown: 'Cet hôte n’existe pas.',
    hostWithoutAddress: 'Cet hôte n’a pas d’adresse.',
    hasToLead: (t) => `L’enregistrement doit pointer vers ${t.expected}.`,
    hasToLeadForCertificate: (t) =>
      `L’enregistrement doit pointer vers ${t.expected} pour que ce service puisse obtenir le certificat.`,
    otherTarget: (t) => `${t.at} est un CNAME vers ${t.host}, qui n’est pas la cible de ce domaine.`,
    otherTargetWhy:
      'Cette valeur contient une faute de frappe, appartient à un autre domaine ou date d’avant que ce domaine soit supprimé puis ajouté de nouveau.',
    valueDoubled: (t) => `Le fournisseur DNS a ajouté la zone ${t.zone} à la fin de la valeur.`,
    valueUrl: 'La valeur est une adresse web (URL), pas un nom d’hôte.',
    valueAddress: 'La valeur est une adresse IP, pas un nom d’hôte.',
    valueSpace: 'La valeur contient des espaces en trop.',
    valueQuotes: 'La valeur contient des guillemets en trop.',
    valueText: 'C’est la valeur de l’enregistrement TXT.',
    loop: (t) => `Les enregistrements CNAME de ${t.at} tournent en boucle.`,
    loopNames: (t) => `Chacun mène au suivant : ${t.at} → ${t.chain}.`,
    tooLong: (t) => `${t.at} passe par plus de 8 enregistrements CNAME.`,
    tooLongNames: (t) => `Ils mènent à ${t.chain}.`,
    hostUnread: 'Cet hôte n’a pas pu être consulté.',
    addressInstead: (t) =>
      `${t.at} a ${t.plural(t.count, { one: 'l’adresse', other: 'les adresses' })} ${t.addresses} au lieu d’un enregistrement CNAME vers ${t.expected}.`,
    passedOn: (t) =>
      `L’enregistrement TXT valide le domaine. Les visiteurs n’y accèdent que si ces adresses transmettent leurs requêtes à ${t.expected}.`,
    conflict: (t) =>
      `${t.at} a un enregistrement CNAME vers ${t.first}, et d’autres enregistrements à côté : ${t.values}.`,
    byChance: 'Les visiteurs arrivent au hasard sur l’un ou sur l’autre.',
    apexCname:
      'Le nom d’une zone ne doit pas être un CNAME : d’autres enregistrements, comme ceux de la messagerie, risquent de ne plus fonctionner.',
    apexElsewhere: (t) =>
      `${t.at} a ${t.plural(t.count, { one: `l’adresse ${t.addresses}, qui n’appartient pas`, other: `les adresses ${t.addresses}, qui n’appartiennent pas` })} à ce service.`,
    visitorsElsewhere: 'Les visiteurs arrivent sur un autre serveur, sauf si un de vos proxys transmet leurs requêtes.',
    wildcardText: (t) =>
      `L’enregistrement TXT de ${t.at} vient d’un enregistrement générique (*) et a la valeur ${t.first}.`,
    wildcardAddress: (t) =>
      `${t.at} n’a pas d’enregistrement propre : un enregistrement générique (*) lui donne ${t.plural(t.count, { one: 'l’adresse', other: 'les adresses' })} ${t.addresses}.`,
    wildcardCname: (t) =>
      `${t.at} n’a pas d’enregistrement propre : un enregistrement générique (*) en fait un CNAME vers ${t.chain}.`,
    wildcardAbove: 'Cet enregistrement générique se trouve à un niveau supérieur du nom.',

    proxiedBy: (t) => `${t.at} passe par le proxy de ${t.proxy} : son enregistrement n’est donc pas visible.`,
    proxiedTo: (t) => `${t.at} mène à un proxy, ${t.host} : son enregistrement n’est donc pas visible.`,
    flattened: (t) => `${t.at} a les adresses de ${t.host} et mène donc ici.`,
    flattenedUnseen: (t) =>
      `${t.at} a les adresses de ${t.host} au lieu d’un enregistrement CNAME (le fournisseur DNS l’aplatit : « flattening »).`,
    onlyText: (t) => `Seul un enregistrement TXT peut alors valider le domaine, et il n’y en a pas sous ${t.at}.`,
    textVerifies: 'L’enregistrement TXT valide le domaine.',
    textNeeded: 'Seul l’enregistrement TXT peut valider le domaine.',
    challengeProxied: (t) =>
      `${t.at} mène à un proxy (${t.values}) et non à ${t.expected} : ce service ne peut pas obtenir le certificat.`,
    challengeMissing: (t) =>
      `Il n’y a pas d’enregistrement CNAME sous ${t.at} : ce service ne peut pas obtenir le certificat.`,
    challengeText: (t) =>
      `Il y a un enregistrement TXT à la place, ${t.first} : aucun autre ne peut coexister avec un CNAME.`,

    textHas: (t) => `L’enregistrement TXT de ${t.at} a la valeur ${t.first}.`,
    textsHave: (t) =>
      t.plural(t.count, {
        one: `L’enregistrement TXT de ${t.at} a la valeur ${t.values}.`,
        other: `Les enregistrements TXT de ${t.at} ont les valeurs ${t.values}.`,
      }),
    proofMissing: 'Il manque la valeur qui prouve que le domaine est à vous.',
    othersMayStay: (t) =>
      t.plural(t.count, { one: 'L’autre valeur peut rester.', other: 'Les autres valeurs peuvent rester.' }),
    textBeside: 'La bonne valeur est accompagnée d’un autre texte.',
    textBefore: 'Un autre texte précède le jeton, et ce jeton est différent.',
    otherCharacter: (t) => `Le caractère ${t.position} est ${t.found} au lieu de ${t.wanted}.`,
    moreCharacters: (t) => `Il y a du texte en trop après le caractère ${t.before}.`,
    fewerCharacters: (t) => `Tout ce qui suit le caractère ${t.before} manque.`,
    textQuotes: 'Elle contient des guillemets en trop.',
    textCase: 'Les majuscules et les minuscules ne correspondent pas.',
    hasSpace: 'Elle contient un espace en trop.',
    hasTab: 'Elle contient une tabulation en trop.',
    hasLineBreak: 'Elle contient un saut de ligne en trop.',
    hasInvisible: (t) => `Elle contient un caractère invisible (${t.found}) en trop.`,
    textEncoded: 'Un programme y a remplacé des caractères par des codes.',
    textStale:
      'Elle ressemble à la valeur d’un autre domaine, ou à celle de ce domaine avant qu’il soit supprimé puis ajouté de nouveau.',
    textOfOther: (t) => `C’est la valeur de ${t.owner}.`,
    beginningMissing: 'Il manque le début.',
    endMissing: 'Il manque la fin.',

    notRegistered: (t) =>
      `Le domaine ${t.name} n’existe pas : il n’est pas enregistré, a expiré ou n’a pas de serveurs de noms.`,
    expired: (t) =>
      `Le nom de domaine ${t.name} semble avoir expiré : ses serveurs de noms (${t.servers}) sont ceux de ${t.provider} pour les domaines non renouvelés ou inutilisés.`,
    parked: (t) =>
      `Le domaine ${t.name} est en parking chez ${t.provider} : ses serveurs de noms (${t.servers}) appartiennent à un service qui affiche de la publicité. On ne peut pas y publier d’enregistrements.`,
    parkedAddresses: (t) => `Tous les noms de ce domaine, ${t.name} compris, mènent à ${t.addresses}.`,
    nameserversAre: (t) => `Les serveurs de noms définis ${t.delegation} sont ${t.servers}.`,
    recordIsAt: (t) => `L’enregistrement ${t.type} de ${t.otherName} est sur ${t.seenServers}.`,
    zoneNames: (t) => `La zone elle-même indique ${t.seenServers}.`,
    onlySeenAt: (t) => `Seul ce qui est publié chez ${t.provider} est visible.`,
    onlySeenAtFirst: 'Seul ce qui est publié sur les premiers est visible.',
    listsDiffer: (t) => `Les serveurs de noms définis ${t.delegation} ne sont pas ceux de la zone ${t.name} elle-même.`,
    onlyDelegated: (t) => `Seulement ${t.delegation} : ${t.onlyDelegated}.`,
    onlyInZone: (t) => `Seulement dans la zone elle-même : ${t.onlyInZone}.`,
    disagree: (t) =>
      `Les serveurs de noms de ${t.zone} ne sont pas d’accord sur l’enregistrement ${t.type} de ${t.at}.`,
    differently: (t) =>
      `Le serveur de noms ${t.servers} donne des réponses différentes pour l’enregistrement ${t.type} de ${t.at}.`,
    answers: (t) => `${t.servers} répond : ${t.answer}.`,
    nothingThere: 'aucun enregistrement',
    cnameThere: (t) => `un CNAME vers ${t.chain}`,
    cnameToItself: 'un CNAME vers lui-même',
    bogus: (t) => `Le DNSSEC (les signatures des enregistrements DNS) de la zone ${t.zone} est défectueux.`,
    mostCannotSee: 'La plus grande partie d’Internet ne voit pas les enregistrements de la zone.',
    signatureExpired: 'La signature a expiré.',
    signatureNotYetValid: 'La signature n’est pas encore valide.',
    keyMissing: 'La zone n’a pas de clé qui corresponde à son enregistrement DS.',
    signatureMissing: 'La signature manque.',
    absenceUnproven: 'Il manque la preuve que le nom n’existe pas.',
    dsIs: (t) => `L’enregistrement DS de la zone est ${t.value}.`,
    noticedAfter: (t) => `Après la correction, il peut falloir ${t.lasting} avant qu’elle soit prise en compte.`,
    caaForbids: (t) =>
      `Les enregistrements CAA de ${t.name} interdisent à notre autorité de certification d’émettre un certificat : ${t.values}.`,
    staleCache: (t) =>
      `Les serveurs de noms ont l’enregistrement ${t.type} de ${t.name}, mais des résolveurs publics peuvent répondre depuis leur cache jusqu’au ${t.until}.`,
    held: (t) => `Un autre compte de ce service a déjà validé ${t.name}.`,
    heldLater: (t) =>
      `Un autre compte de ce service a validé ${t.name} après que vous l’avez ajouté ici : vos enregistrements datent peut-être d’avant.`,
    heldSilent: (t) =>
      `Aucun des serveurs de noms de ${t.zone} ne répond (${t.servers}). Ce que les résolveurs ont en cache ne suffit pas pour rattacher le nom à ce compte.`,
    heldRecords: 'Les enregistrements de cet autre compte sont encore en place.',
    oneHasIt: (t) => `${t.servers} l’a, ${t.seenServers} ne l’a pas.`,
    notAllAsked: 'Tous les serveurs de noms n’ont pas été interrogés.',

    resolversFail: (t) =>
      `Les résolveurs DNS de ce service ne donnent pas de réponse exploitable : ${t.name} n’a pas pu être consulté.`,
    zoneUnread: (t) => `La zone ${t.name} n’a pas pu être consultée.`,
    someUnread: (t) => `Certains serveurs de noms de ${t.name} n’ont pas pu être interrogés.`,
    delegationUnread: (t) => `Les serveurs de noms de ${t.name} sont introuvables.`,
    nameUnread: (t) => `${t.name} n’a pas pu être consulté.`,
    othersAnswer: (t) => `Pour d’autres noms de la zone ${t.zone}, il y a des réponses.`,
    itsNameservers: 'ses serveurs de noms',
    serverTimeout: (t) => `Pas de réponse à temps de ${t.servers}.`,
    serverFailure: (t) => `Réponse d’échec (SERVFAIL) de ${t.servers}.`,
    serverRefused: (t) => `Refus de répondre (REFUSED) de ${t.servers}.`,
    serverLame: (t) => `La zone n’est pas servie par ${t.servers} (« lame delegation »).`,
    serverMalformed: (t) => `Réponses DNS non valides de ${t.servers}.`,
    serverWithoutAddress: (t) => `Pas d’adresse IP pour ${t.servers}.`,
    serverUnreachable: (t) => `Impossible de joindre ${t.servers}.`,
    serverPrivate: (t) => `Adresse IP privée ou spéciale, jamais interrogée, pour ${t.servers}.`,
    serverTcp: (t) => `Pas de réponse en TCP de ${t.servers}.`,
    serverInconsistent: (t) => `Liste de serveurs de noms différente sur ${t.servers}.`,
    parentNameserver: 'un serveur de noms de la zone parente',

    outside: (t) =>
      `Les visiteurs de ${t.name} n’arrivent pas sur le site ${t.plural(t.count, { one: 'à l’adresse', other: 'aux adresses' })} ${t.addresses}.`,
    outsideOther: 'Un autre serveur répond et ne transmet pas les requêtes à ce service.',
    outsideWrongName: 'Ils reçoivent un certificat qui n’est pas pour ce nom.',
    outsideExpired: 'Ils reçoivent un certificat expiré.',
    outsideNotYet: 'Ils reçoivent un certificat qui n’est pas encore valide.',
    outsideUntrusted: 'Ils reçoivent un certificat que les navigateurs jugent non fiable.',
    outsidePrivate: 'Cette adresse n’est pas accessible depuis Internet.',
    outsideRefused: 'Rien n’écoute sur le port 443.',
    outsideTls: 'La négociation TLS échoue sur le port 443.',
    outsideNothing: 'Le serveur ferme la connexion sans répondre.',
    outsideTimeout: 'Il n’y a pas de réponse à temps.',

    add: (t) => `Ajoutez un enregistrement ${t.type} ${t.where}.`,
    change: (t) => `Modifiez l’enregistrement ${t.type} ${t.where}.`,
    replace: (t) =>
      `Supprimez ${t.where} les enregistrements ${t.removes} de ce nom et ajoutez un enregistrement ${t.type}.`,
    changeName: (t) => `Modifiez le nom de l’enregistrement ${t.type} ${t.where}.`,
    zoneIsAdded: (t) => `${t.zone} y est ajouté automatiquement.`,
    punycode: (t) => `Saisissez le nom sous sa forme « xn-- » ${t.where}.`,
    dotAtEnd: (t) => `Ajoutez ${t.where} un point à la fin de la valeur de l’enregistrement CNAME.`,
    withoutQuotes: 'Saisissez la valeur sans guillemets.',
    exchangeNames: (t) => `Échangez les noms des deux enregistrements ${t.where}.`,
    forCname: (t) => `Nom de l’enregistrement CNAME : ${t.entered}.`,
    forText: (t) => `Nom de l’enregistrement TXT : ${t.entered}.`,
    deleteDelegation: (t) =>
      `Supprimez les enregistrements NS de ${t.name} dans la zone ${t.zone}, et ajoutez-y l’enregistrement CNAME.`,
    ifNoProxy: 'Si ce ne sont pas les adresses d’un de vos proxys, remplacez-les par un enregistrement CNAME.',
    orAddText: 'Ou, si ce sont les adresses d’un de vos proxys, ajoutez un enregistrement TXT.',
    orPublishText: 'Ou, si ce sont les adresses d’un de vos proxys, publiez le bon enregistrement TXT.',
    doNotProxy:
      'Ne laissez pas le fournisseur le faire passer par son proxy (Cloudflare : nuage gris, « DNS uniquement »).',
    keepOne: (t) =>
      `Supprimez ${t.where} tous les autres enregistrements CNAME, A et AAAA de ce nom, et gardez un seul CNAME.`,
    deleteCname: 'Supprimez l’enregistrement CNAME.',
    addAddresses: (t) => `Donnez à ${t.at}, ${t.where}, ces adresses et aucune autre : ${t.addresses}.`,
    addAlias: (t) =>
      `Ajoutez ${t.where} l’enregistrement appelé ALIAS, ANAME ou « CNAME flattening », sans enregistrement A ni AAAA.`,
    addTyped: (t) => `Ajoutez ${t.where} l’enregistrement ${t.typeInZone}, sans enregistrement A ni AAAA.`,
    register: (t) =>
      `Enregistrez ou renouvelez ${t.name} chez un bureau d’enregistrement, et définissez-y ses serveurs de noms.`,
    mistypedLook: 'Si le nom contient une faute de frappe, vérifiez le bon.',
    mistypedAdd: 'Si le nom contient une faute de frappe, supprimez ce domaine et ajoutez le bon.',
    renew: (t) =>
      `Renouvelez ${t.name} chez son bureau d’enregistrement. Si les anciens serveurs de noms ne reviennent pas d’eux-mêmes, définissez-les chez ce bureau d’enregistrement.`,
    changeNameservers: (t) =>
      `Remplacez ${t.delegation} les serveurs de noms par ceux d’un fournisseur DNS. Publiez les enregistrements chez ce fournisseur.`,
    setNameservers: (t) => `Réglez ${t.delegation} les serveurs de noms sur ${t.seenServers}.`,
    orPublishAt: (t) => `Ou publiez les enregistrements ici : ${t.servers}.`,
    sameLists: (t) =>
      `Rendez les deux listes identiques : ${t.delegation}, ou dans les enregistrements NS de la zone ${t.name} elle-même.`,
    waitMinutes: 'Si vous venez de modifier l’enregistrement, attendez quelques minutes.',
    askWhyDifferent: 'Sinon, demandez au fournisseur DNS pourquoi ses réponses diffèrent.',
    publishSame: 'Sinon, publiez la même chose sur tous, ou retirez ceux qui diffèrent.',
    nothingToDo: 'Vous n’avez rien à faire : ce service vérifie de nouveau automatiquement.',
    mendDsRegistrar: (t) =>
      `Chez le bureau d’enregistrement de ${t.zone}, supprimez l’enregistrement DS ou remplacez-le par celui que le fournisseur DNS affiche.`,
    mendDsAbove: (t) =>
      `Dans la zone parente de ${t.zone}, supprimez l’enregistrement DS ou remplacez-le par celui que le fournisseur DNS affiche.`,
    signAgain: (t) =>
      `Demandez au fournisseur DNS de ${t.zone} de signer de nouveau la zone. Ou modifiez son enregistrement DS :`,
    orSignAgain: 'Ou faites signer de nouveau la zone.',
    deleteCaa: (t) =>
      `Supprimez l’enregistrement CAA dont le tag est ${t.tag} : tant que ses flags valent 128 ou plus, aucune autorité de certification ne peut émettre.`,
    recreate:
      'Si le nom est à vous, supprimez le domaine, ajoutez-le de nouveau et publiez ses nouveaux enregistrements.',
    askSilent: (t) =>
      `Demandez au fournisseur DNS de ${t.zone} pourquoi ses serveurs de noms ne répondent pas. Le nom changera de compte dès qu’ils répondront et n’auront que les enregistrements de ce domaine.`,
    removeOthers: (t) =>
      `Supprimez ${t.where} tout autre enregistrement TXT de ${t.at}, et faites pointer ${t.name} uniquement vers ${t.expected}.`,
    moveWithBoth: (t) =>
      `Pour rattacher le nom à ce compte, publiez les deux enregistrements de ce domaine et supprimez l’enregistrement TXT de l’autre compte sous ${t.at}.`,
    moveWithText: (t) =>
      `Pour rattacher le nom à ce compte, publiez l’enregistrement TXT de ce domaine et supprimez celui de l’autre compte sous ${t.at}.`,
    replaceCertificate:
      'Sur le proxy ou le répartiteur de charge qui a cette adresse, remplacez le certificat, ou laissez passer les connexions telles quelles jusqu’à ce service.',
    renewCertificate:
      'Sur le proxy ou le répartiteur de charge qui a cette adresse, renouvelez le certificat, ou laissez passer les connexions telles quelles jusqu’à ce service.',
    orPassOn: (t) =>
      `Ou, si un de vos proxys a cette adresse, faites-lui transmettre aussi ce qui est sous ${t.value}.`,
    openPort: 'Ouvrez le port 443 sur ce serveur.',
    orUnused: 'Ou, si cette adresse ne sert plus :',
    waitUntilThen: 'Attendez jusque-là.',
    askAboutName: (t) => `Demandez-en la raison au fournisseur DNS de ${t.zone}.`,
    underscore: 'Un pare-feu bloque peut-être les noms qui commencent par un tiret bas.',
    orAddAgain: (t) => `Ou supprimez l’enregistrement ${t.type}, puis ajoutez-le de nouveau.`,
    nothingOrRegistrar:
      'Il n’y a rien à changer dans les enregistrements. Si cela persiste, adressez-vous au bureau d’enregistrement du domaine.',
    askOrRemove: (t) =>
      `Demandez-en la raison au fournisseur DNS de ${t.zone}, ou retirez ${t.delegation} ces serveurs de noms : ${t.servers}.`,
    createZone: (t) =>
      `Créez la zone ${t.zone} chez ce fournisseur DNS, ou définissez ${t.delegation} les serveurs de noms du fournisseur qui l’héberge.`,
    checkZone: (t) =>
      `Vérifiez la zone ${t.zone} chez son fournisseur DNS, ou adressez-vous à lui : elle contient peut-être une erreur ou n’est pas chargée.`,
    correctNames: (t) => `Corrigez les noms des serveurs de noms (${t.servers}) ${t.delegation}.`,
    publicAddresses: (t) =>
      `Donnez aux serveurs de noms de ${t.zone} des adresses IP publiques, ou utilisez-en d’autres.`,
    openTcp: (t) => `Ouvrez le port TCP 53 sur ${t.servers} : les réponses trop longues pour UDP sont lues en TCP.`,
    registryTakes:
      'Il n’y a rien à changer : un changement de serveurs de noms met quelques minutes à atteindre tout le registre.',
    setNameserversOf: (t) => `Définissez ${t.delegation} les serveurs de noms de ${t.provider}.`,

    certificateNoAddress: (t) =>
      `${t.name} n’a pas d’adresse : une autorité de certification ne peut donc pas l’atteindre.`,
    certificateUnread: (t) => `Le DNS de ${t.name} n’a pas pu être consulté. Nous réessayons automatiquement.`,
    certificatePrivate: (t) => `${t.name} mène à ${t.addresses}, hors de l’Internet public.`,
    certificateUnreachable: (t) => `${t.name} mène à ${t.addresses}, où rien ne répond sur le port 80.`,
    certificateOther: (t) =>
      `${t.name} mène à ${t.addresses}, où répond un autre serveur, ou un proxy qui ne transmet pas les requêtes.`,
    certificateCaa: (t) =>
      `Lors de la dernière tentative, un enregistrement CAA interdisait à notre autorité de certification d’émettre un certificat pour ${t.name}.`,
    certificateNoRecord: (t) => `L’enregistrement CNAME pour le certificat de ${t.name} manque.`,
    certificateRecordElsewhere: (t) => `L’enregistrement CNAME pour le certificat de ${t.name} pointe ailleurs.`,
    certificateNotSeen: (t) => `La preuve pour le certificat de ${t.name} ne se trouve pas encore dans le DNS.`,
    certificateUnproved: (t) => `L’autorité de certification n’a pas pu valider ${t.name}.`,
    certificateRefused: (t) => `L’autorité de certification n’émet pas de certificat pour ${t.name}.`,
    certificateLater: 'Cela vient de nous, pas de vos enregistrements. Nous réessayons automatiquement.',
  },
};
