import type { Language } from './en.ts';
import { formatsIn } from './formats.ts';

const { list, time, clock, date, duration } = formatsIn('de', 'long');

const COUNTS = ['null', 'ein', 'zwei', 'drei', 'vier'];
const ROUTING = 'Führt Besucher Ihrer Domain zum Dienst.';
const CHALLENGE =
  'Damit bekommt der Dienst das Zertifikat und erneuert es. Wenn Ihr Anbieter einen Proxy für diesen Eintrag anbietet, schalten Sie ihn aus.';

export const de: Language = {
  tag: 'de',
  space: ' ',
  texts: {
    space: ' ',
    colon: ': ',
    title: (name) => `${name} verbinden`,
    titleLive: (name) => `${name} ist online`,
    connect: 'Domain verbinden',
    punycode: 'Im DNS:',
    loading: 'Ihr Link wird geöffnet …',
    unreachable: 'Der Dienst ist gerade nicht erreichbar. Wir versuchen es weiter …',
    lost: 'Die Verbindung ist unterbrochen und wird neu aufgebaut. Wir prüfen trotzdem weiter; nichts geht verloren.',
    noScript: 'Diese Seite braucht JavaScript, um zu zeigen, worauf Ihre Domain wartet.',
    crowded:
      'Dieser Link ist in vielen Fenstern zugleich offen. Schließen Sie alle, die Sie nicht brauchen: Hier geht es dann automatisch weiter.',
    hints: {
      records: () => 'Legen Sie diese Einträge an. Übernehmen Sie Name und Wert genau so.',
      add: ({ type }) => `Legen Sie diesen ${type}-Eintrag an. Übernehmen Sie Name und Wert genau so.`,
      change: ({ type, count }) =>
        count > 1
          ? 'Ändern Sie diese Einträge: Ersetzen Sie, was durchgestrichen ist.'
          : `Ändern Sie den ${type}-Eintrag: Ersetzen Sie seinen Wert.`,
      rename: ({ type, count }) =>
        count > 1
          ? 'Ändern Sie diese Einträge: Ersetzen Sie, was durchgestrichen ist.'
          : `Ändern Sie den ${type}-Eintrag: Ersetzen Sie seinen Namen.`,
      exchange: () => 'Tauschen Sie die Namen der beiden Einträge.',
      replace: ({ type, removes }) =>
        `Löschen Sie unter diesem Namen alle Einträge vom Typ ${list(removes)}. Legen Sie sofort danach diesen ${type}-Eintrag an.`,
      delete: ({ type }) => `Löschen Sie den ${type}-Eintrag.`,
      caa: () => 'Legen Sie diesen CAA-Eintrag zusätzlich an. Lassen Sie die vorhandenen CAA-Einträge stehen.',
    },
    logIn: (zone) =>
      zone === null
        ? 'Melden Sie sich dort an, wo Sie Ihr DNS verwalten.'
        : `Melden Sie sich dort an, wo Sie das DNS von ${zone} verwalten.`,
    logInAt: (provider) => `Melden Sie sich bei ${provider} an.`,
    alsoAdd: (type) =>
      type === null ? 'Legen Sie auch an, was noch fehlt.' : `Legen Sie auch den ${type}-Eintrag an.`,
    mayKeep: 'Gehört diese Adresse zu Ihrem eigenen Proxy? Dann lassen Sie sie stehen: Der TXT-Eintrag genügt.',
    noTxt: 'Den TXT-Eintrag brauchen Sie nicht.',
    withoutWww: (name, www) => `Diese Seite richtet nur ${name} ein: ${www} wird getrennt eingerichtet.`,
    comeBack: 'Kommen Sie zurück. Diese Seite aktualisiert sich von selbst.',
    details: 'Antwort der Zertifizierungsstelle',
    stages: {
      publish: ({ provider, records }) => ({
        title: `Legen Sie ${records === 1 ? 'diesen Eintrag' : `diese ${COUNTS[records] ?? records} Einträge`} ${provider === undefined ? 'in Ihrem DNS' : `bei ${provider}`} an`,
        text: '',
      }),
      one_found: ({ found, lacking }) => ({
        title: `${found === 1 ? 'Ein Eintrag' : 'Zwei Einträge'} gefunden, ${lacking === 1 ? 'einer fehlt' : `${COUNTS[lacking] ?? lacking} fehlen`} noch`,
        text: 'Bis Ihr Anbieter einen Eintrag veröffentlicht, vergehen oft ein bis zwei Minuten.',
      }),
      unseen: () => ({
        title: 'Wir können Ihr DNS gerade nicht abfragen',
        text: 'Das liegt an uns. Sie müssen nichts tun: Wir versuchen es automatisch wieder. Die Einträge unten bleiben gültig; Sie können sie schon anlegen.',
      }),
      fix: ({ missing, wrong }) => ({
        title: `${wrong > 1 ? 'Zwei Änderungen' : 'Eine Änderung'} nötig${missing === 0 ? '' : `, ${missing === 1 ? 'ein Eintrag fehlt' : `${COUNTS[missing] ?? missing} Einträge fehlen`} noch`}`,
        text: '',
      }),
      confirming: ({ needsCaa }) => ({
        title: needsCaa ? 'Gefunden. Es fehlt noch ein CAA-Eintrag' : 'Gefunden. Wir prüfen noch einmal',
        text: needsCaa
          ? 'Wir fragen alle Nameserver noch einmal. Legen Sie inzwischen den CAA-Eintrag an: Das Zertifikat braucht ihn.'
          : 'Alles Nötige ist da. Wir fragen alle Nameserver noch einmal; Sie müssen nichts tun.',
      }),
      preparing: () => ({
        title: 'Zuerst holen wir Ihr Zertifikat',
        text: 'Ihre Website bleibt so lange, wo sie ist. Ändern Sie den Eintrag noch nicht: Diese Seite sagt Ihnen, wann.',
      }),
      ready: () => ({
        title: 'Ihr Zertifikat ist da. Ändern Sie jetzt diesen Eintrag',
        text: 'Ersetzen Sie den Eintrag, der zu Ihrer bisherigen Website führt. Besucher merken davon nichts. Lassen Sie den alten Server noch eine Stunde laufen: Einige landen noch dort.',
      }),
      failed: () => ({
        title: 'Wir prüfen nicht mehr',
        text: 'Sehen Sie die Einträge unten durch und starten Sie die Prüfung neu: Die Werte bleiben gleich.',
      }),
      certificate: () => ({
        title: 'Einträge gefunden. Jetzt kommt das Zertifikat',
        text: 'Eine Zertifizierungsstelle stellt es gerade aus. Das dauert meist keine Minute; Sie müssen nichts tun.',
      }),
      certificate_blocked: () => ({ title: 'Für das Zertifikat fehlt noch etwas', text: '' }),
      certificate_refused: ({ platform }) => ({
        title: 'Wir kümmern uns darum',
        text: `Das Zertifikat für Ihre Domain wurde nicht ausgestellt. Sie müssen nichts ändern: ${platform ?? 'Der Dienst'} sieht, woran es liegt. Wir versuchen es automatisch wieder.`,
      }),
      live: () => ({
        title: 'Ihre Website ist online',
        text: 'Sie ist über HTTPS erreichbar. Sie können diese Seite schließen. Lassen Sie die Einträge, wie sie sind: Wir prüfen sie täglich.',
      }),
      live_at_risk: ({ isGone }) => ({
        title: isGone
          ? 'Besucher finden Ihre Website nicht: Ein Eintrag fehlt'
          : 'Online, aber etwas hat sich geändert',
        text: '',
      }),
    },
    progress: 'Fortschritt',
    steps: { dns: 'DNS-Einträge', certificate: 'Zertifikat', live: 'Online' },
    stepStates: { done: 'Erledigt', current: 'Läuft', problem: 'Bitte prüfen', waiting: 'Noch nicht' },
    yourTurn: 'Sie sind dran',
    movingFirst:
      'Ist unter diesem Namen schon eine Website online? Lesen Sie unten erst „Ohne Ausfall umziehen“, bevor Sie etwas ändern.',
    movingTitle: 'Ohne Ausfall umziehen',
    movingText:
      'Ist unter diesem Namen schon eine Website online? Dann legen Sie zuerst nur den TXT-Eintrag und diesen an. Diese Seite sagt Ihnen, wann das Zertifikat da ist und welchen Eintrag Sie dann ändern.',
    movingPurpose:
      'Damit bekommen wir das Zertifikat schon vor dem Umzug. Wenn Ihr Anbieter einen Proxy dafür anbietet, schalten Sie ihn aus.',
    records: 'Einträge',
    otherRecords: 'Weitere Einträge',
    recordStates: {
      unknown: 'Wird gesucht …',
      found: 'Gefunden',
      hidden: 'Vom Anbieter verdeckt',
      missing: 'Noch nicht gefunden',
      misplaced: 'Falscher Name',
      gone: 'Nicht mehr da',
      wrong: 'Bitte ändern',
      unreadable: 'Nicht lesbar',
      not_needed: 'Zurzeit nicht nötig',
      later: 'Noch nicht ändern',
    },
    purposes: {
      routing: { yes: ROUTING, no: ROUTING, alternative: ROUTING },
      ownership: {
        yes: 'Weist nach, dass die Domain Ihnen gehört.',
        no: 'Weist nach, dass die Domain Ihnen gehört. Das hat der andere Eintrag schon getan.',
        alternative: 'Weist nach, dass die Domain Ihnen gehört, auch wenn Ihr Anbieter den anderen Eintrag verdeckt.',
      },
      challenge: { yes: CHALLENGE, no: CHALLENGE, alternative: CHALLENGE },
    },
    recordTitle: (type) => `${type}-Eintrag`,
    alias: 'Bei Ihrem Anbieter heißt er vielleicht ALIAS, ANAME oder „CNAME Flattening“.',
    noAlias: (count) =>
      `Ihr Anbieter hat nichts davon? Dann legen Sie stattdessen ${count === 1 ? 'diesen Eintrag' : 'diese Einträge'} unter demselben Namen an, und keinen anderen A- oder AAAA-Eintrag.`,
    caaState: 'Bitte anlegen',
    caaPurpose: 'Die Domain erlaubt nur andere Zertifizierungsstellen. Dieser Eintrag erlaubt auch unsere.',
    flags: 'Flags',
    tag: 'Tag',
    name: 'Name',
    value: 'Wert',
    emptyName: 'Leer lassen',
    fullName: 'Vollständiger Name',
    fullNameHint: 'Meist geben Sie ihn ohne die Zone ein: für die Zone selbst „@“ oder nichts.',
    nameUnknown: 'Bitte noch nicht eintippen: Wir sehen gerade nach, wie Ihr Anbieter ihn haben möchte.',
    instead: 'Jetzt',
    replacedBy: 'Richtig ist',
    ttl: 'Lassen Sie die TTL, wie sie ist.',
    copy: 'Kopieren',
    copied: 'Kopiert',
    copyWhat: (what, type) => `: ${what} des ${type}-Eintrags`,
    copyDone: 'In die Zwischenablage kopiert.',
    copyFailed: 'Das Kopieren hat nicht geklappt. Markieren Sie den Text und kopieren Sie ihn von Hand.',
    seenNow: 'Zurzeit im DNS',
    seen: {
      matched: 'Der richtige Wert',
      leads_here: 'Führt hierher',
      other: 'Gefunden',
      absent: 'Nichts',
      unreadable: 'Keine Antwort',
    },
    at: 'bei',
    panel: (provider) => `${provider} öffnen`,
    opensInNewTab: ' (öffnet einen neuen Tab)',
    dnsOnly: 'Stellen Sie „Proxy-Status“ auf „Nur DNS“ („DNS only“).',
    panels: {
      cloudflare: (zone) => `${zone} › DNS › Einträge`,
      ovh: (zone) => `Domainnamen › ${zone} › DNS-Zone`,
      strato: (zone) => `Domainverwaltung › ${zone} › DNS-Einstellungen`,
    },
    whereUnknown: (nameservers) =>
      `Oft ist das dort, wo Sie die Domain gekauft haben. ${nameservers.length === 0 ? '' : `Die Nameserver sind ${list(nameservers)}. `}Suchen Sie nach „DNS-Einträge“ oder „DNS-Einstellungen“.`,
    whereShort: (zone) => `Dort unter: ${zone} › DNS-Einträge.`,
    connectAt: (provider) => `Bei ${provider} verbinden`,
    connectHow: (host) =>
      `Sie melden sich bei ${host} an und stimmen zu. Ihr Anbieter legt die Einträge dann für Sie an.`,
    connectDone: 'Sie kommen von Ihrem Anbieter zurück. Wir suchen jetzt die Einträge; das kann eine Minute dauern.',
    connectRefused:
      'Ihr Anbieter hat die Einträge nicht angelegt. Es ist nichts verloren: Versuchen Sie es noch einmal oder legen Sie sie unten selbst an.',
    checkNow: 'Jetzt prüfen',
    tryAgain: 'Prüfung neu starten',
    checking: 'Wird geprüft …',
    checkAgain: (seconds) => `Erneut prüfen in ${duration(seconds)}`,
    asked: {
      same: (at) => `Geprüft um ${clock(at)}: noch nichts Neues.`,
      changed: (at) => `Geprüft um ${clock(at)}.`,
      busy: (at) =>
        `Um ${clock(at)} nicht geprüft: zu viele Prüfungen auf einmal. Warten Sie, bis der Knopf heruntergezählt hat.`,
      failed: (at) => `Prüfung um ${clock(at)} nicht möglich: keine Verbindung. Versuchen Sie es noch einmal.`,
    },
    nextCheck: (seconds) => `Nächste Prüfung in ${duration(seconds)}.`,
    checkingSoon: 'Gleich wird geprüft.',
    until: (at) => `Wir prüfen weiter bis ${time(at)}.`,
    nextTry: (at, seconds) =>
      seconds > 0
        ? `Nächster Versuch ${seconds > 5400 ? `am ${time(at)}` : `in ${duration(seconds)}`}.`
        : 'Gleich folgt der nächste Versuch.',
    nextTrySees: 'Was Sie bis dahin ändern, wird schon berücksichtigt.',
    visit: (name) => `${name} öffnen`,
    validUntil: (at) => `Das Zertifikat gilt bis zum ${date(at)} und wird rechtzeitig erneuert.`,
    sendOn: 'Kümmert sich jemand anderes um Ihr DNS? Einträge weitergeben',
    sendOnWarning:
      'Wer den Link hat, kann diese Seite öffnen. Geben Sie ihn nur an Menschen weiter, denen Sie vertrauen.',
    sendOnWithoutLink: 'Einen Link zu dieser Seite gibt es hier nicht. Kopieren Sie die Einträge in eine Nachricht.',
    sendByMail: 'Per E-Mail senden',
    sendCopy: 'Alles kopieren',
    sendCopyWhat: ': Einträge als Text',
    sendCode: 'QR-Code mit dem Link zu dieser Seite',
    sendCodeText: 'Scannen und am Handy weitermachen.',
    sent: {
      subject: (name) => `DNS-Einträge für ${name}`,
      ask: (name, count) =>
        count === 1
          ? `Bitte legen Sie diesen DNS-Eintrag für ${name} an:`
          : `Bitte legen Sie diese DNS-Einträge für ${name} an:`,
      fill: ' ',
      instead: 'Oder, wenn es diesen Typ beim Anbieter nicht gibt:',
      link: 'Diese Seite zeigt, ob die Einträge gefunden wurden, und wenn nicht, woran es liegt:',
    },
    type: 'Typ',
    help: 'Fragen?',
    contact: (name) => (name === undefined ? 'Support kontaktieren' : `${name} kontaktieren`),
    askWhom: (name, hasAddress) =>
      `Bitten Sie ${name ?? 'die Person, die Ihnen den Link geschickt hat,'} um einen neuen${hasAddress ? ': ' : '.'}`,
    ends: {
      unknown: {
        title: 'Dieser Link funktioniert nicht',
        text: 'Wir kennen ihn nicht: Vielleicht wurde die Domain entfernt.',
      },
      incomplete: {
        title: 'Dieser Link ist unvollständig',
        text: 'Ein Teil fehlt oder wurde verändert. Öffnen Sie den Link so, wie Sie ihn bekommen haben, oder kopieren Sie ihn ganz.',
      },
      expired: {
        title: 'Dieser Link ist abgelaufen',
        text: 'Links gelten nur eine Zeit lang. Ihre Einträge und Werte bleiben gleich.',
      },
      revoked: {
        title: 'Dieser Link wurde widerrufen',
        text: 'Er wurde ersetzt oder soll nicht mehr benutzt werden.',
      },
      deleted: {
        title: 'Die Domain wurde entfernt',
        text: 'Sie wird nicht mehr eingerichtet. Was Sie eingetragen haben, schadet nicht.',
      },
      disabled: {
        title: 'Die Einrichtung ist abgeschaltet',
        text: 'Das Konto, zu dem dieser Link gehört, ist deaktiviert. Fragen Sie die Person, die Ihnen den Link geschickt hat. Ihre Einträge und Werte bleiben gleich.',
      },
      denied: {
        title: 'Diese Seite kann hier nicht angezeigt werden',
        text: 'Der Dienst beantwortet keine Anfragen von dieser Seite.',
      },
    },
  },
  findings: {
    atProvider: (t) => `bei ${t.provider}`,
    inZone: (t) => `in den DNS-Einstellungen von ${t.zone}`,
    atRegistrar: (t) => `beim Registrar von ${t.zone}`,
    inZoneAbove: (t) => `in den NS-Einträgen von ${t.zone} in der übergeordneten Zone`,

    entry: (t) => `Name: ${t.entered}, Wert: ${t.value}.`,
    entryUnnamed: (t) => `Name: leer lassen, Wert: ${t.value}.`,
    entryName: (t) => `Name: ${t.entered}.`,
    entryNameEmpty: 'Name: leer lassen.',
    entryCaa: (t) => `Flags: ${t.flags}, Tag: ${t.tag}, Wert: ${t.value}.`,

    noRecord: (t) => `Unter ${t.at} gibt es keinen ${t.type}-Eintrag.`,
    noAddress: (t) => `${t.at} hat keine Adresse und ist deshalb nicht erreichbar.`,
    asked: (t) => `Abgefragte Nameserver: ${t.servers}.`,
    otherProviderUnseen: 'Einträge bei einem anderen Anbieter sind nicht sichtbar.',
    zoneOfItsOwn: (t) =>
      `${t.ownZone} ist eine eigene Zone: Was in der Zone ${t.zoneAbove} eingetragen ist, gilt dort nicht.`,
    atOtherName: (t) => `Der ${t.type}-Eintrag steht unter ${t.name}; er gehört unter ${t.at}.`,
    zoneAppended: (t) => `Der DNS-Anbieter hängt ${t.zone} an jeden eingegebenen Namen an.`,
    textToo: (t) => `Der TXT-Eintrag steht unter ${t.otherName}.`,
    notPunycode: (t) =>
      `Der ${t.type}-Eintrag steht unter einem Namen mit Sonderzeichen. Im DNS ist das ein anderer Name als ${t.at}.`,
    textInstead:
      'Dort muss stattdessen ein TXT-Eintrag stehen: Neben einem CNAME darf es keinen anderen Eintrag geben.',
    textOptional: 'Mit einem richtigen CNAME-Eintrag braucht die Domain keinen TXT-Eintrag.',
    valuesSwapped: (t) => `Der TXT-Eintrag unter ${t.at} hat den Wert des CNAME-Eintrags, ${t.first}.`,
    namesSwapped: (t) =>
      `Die Namen der beiden Einträge sind vertauscht: Der CNAME-Eintrag steht unter ${t.at}, der TXT-Eintrag unter ${t.otherName}.`,
    proofInCname: (t) =>
      `Der Wert, der nachweist, dass die Domain Ihnen gehört, steht in einem CNAME-Eintrag unter ${t.at}; er gehört in einen TXT-Eintrag.`,
    targetInOther: (t) =>
      `Unter ${t.at} steht der Wert ${t.expected} in einem Eintrag vom Typ ${t.removes}; er gehört in einen CNAME-Eintrag.`,
    nameAbsent: 'Diesen Namen gibt es im DNS nicht.',

    leadsTo: (t) => `${t.at} ist ein CNAME auf ${t.chain}.`,
    hostUnknown: 'Diesen Host gibt es nicht.',
    hostWithoutAddress: 'Dieser Host hat keine Adresse.',
    hasToLead: (t) => `Der Eintrag muss auf ${t.expected} zeigen.`,
    hasToLeadForCertificate: (t) =>
      `Der Eintrag muss auf ${t.expected} zeigen, damit dieser Dienst das Zertifikat bekommt.`,
    otherTarget: (t) => `${t.at} ist ein CNAME auf ${t.host}. Das ist nicht das Ziel dieser Domain.`,
    otherTargetWhy:
      'Der Wert enthält einen Tippfehler, gehört zu einer anderen Domain oder ist ein früherer Wert dieser Domain, bevor sie gelöscht und erneut hinzugefügt wurde.',
    valueDoubled: (t) => `Der DNS-Anbieter hat die Zone ${t.zone} an den Wert angehängt.`,
    valueUrl: 'Der Wert ist eine Webadresse (URL), kein Hostname.',
    valueAddress: 'Der Wert ist eine IP-Adresse, kein Hostname.',
    valueSpace: 'Der Wert enthält Leerraum, der nicht dazugehört.',
    valueQuotes: 'Der Wert enthält Anführungszeichen, die nicht dazugehören.',
    valueText: 'Das ist der Wert des TXT-Eintrags.',
    loop: (t) => `Die CNAME-Einträge von ${t.at} führen im Kreis.`,
    loopNames: (t) => `Jeder zeigt auf den nächsten: ${t.at} → ${t.chain}.`,
    tooLong: (t) => `${t.at} führt über mehr als 8 CNAME-Einträge.`,
    tooLongNames: (t) => `Sie führen über ${t.chain}.`,
    hostUnread: 'Dieser Host konnte nicht abgefragt werden.',
    addressInstead: (t) =>
      `${t.at} hat ${t.plural(t.count, { one: 'die Adresse', other: 'die Adressen' })} ${t.addresses} statt eines CNAME-Eintrags auf ${t.expected}.`,
    passedOn: (t) =>
      `Der TXT-Eintrag bestätigt die Domain. Besucher erreichen sie aber nur, wenn diese Adressen die Anfragen an ${t.expected} weiterreichen.`,
    conflict: (t) => `${t.at} hat einen CNAME-Eintrag auf ${t.first} und daneben weitere Einträge: ${t.values}.`,
    byChance: 'Besucher landen zufällig beim einen oder beim anderen.',
    apexCname:
      'Der Name einer Zone darf kein CNAME sein: Andere Einträge dort, etwa die für E-Mail, funktionieren dann womöglich nicht mehr.',
    apexElsewhere: (t) =>
      `${t.at} hat ${t.plural(t.count, { one: `die Adresse ${t.addresses}, die`, other: `die Adressen ${t.addresses}, die` })} nicht zu diesem Dienst ${t.plural(t.count, { one: 'gehört', other: 'gehören' })}.`,
    visitorsElsewhere:
      'Besucher landen auf einem anderen Server, sofern nicht ein Proxy von Ihnen die Anfragen weiterreicht.',
    wildcardText: (t) =>
      `Der TXT-Eintrag unter ${t.at} stammt aus einem Wildcard-Eintrag (*) und hat den Wert ${t.first}.`,
    wildcardAddress: (t) =>
      `${t.at} hat keinen eigenen Eintrag: Ein Wildcard-Eintrag (*) gibt dem Namen ${t.plural(t.count, { one: 'die Adresse', other: 'die Adressen' })} ${t.addresses}.`,
    wildcardCname: (t) =>
      `${t.at} hat keinen eigenen Eintrag: Ein Wildcard-Eintrag (*) macht daraus einen CNAME auf ${t.chain}.`,
    wildcardAbove: 'Dieser Wildcard-Eintrag steht unter einem übergeordneten Namen.',

    proxiedBy: (t) => `${t.at} läuft über den Proxy von ${t.proxy}; der Eintrag selbst ist deshalb nicht sichtbar.`,
    proxiedTo: (t) => `${t.at} führt zu einem Proxy, ${t.host}; der Eintrag selbst ist deshalb nicht sichtbar.`,
    flattened: (t) => `${t.at} hat die Adressen von ${t.host} und führt damit hierher.`,
    flattenedUnseen: (t) =>
      `${t.at} hat statt eines CNAME-Eintrags die Adressen von ${t.host} (der DNS-Anbieter löst ihn auf: „Flattening“).`,
    onlyText: (t) => `Dann kann nur ein TXT-Eintrag die Domain bestätigen, und unter ${t.at} gibt es keinen.`,
    textVerifies: 'Der TXT-Eintrag bestätigt die Domain.',
    textNeeded: 'Nur der TXT-Eintrag kann die Domain bestätigen.',
    challengeProxied: (t) =>
      `${t.at} führt zu einem Proxy (${t.values}) statt auf ${t.expected}; so bekommt dieser Dienst das Zertifikat nicht.`,
    challengeMissing: (t) =>
      `Unter ${t.at} gibt es keinen CNAME-Eintrag; so bekommt dieser Dienst das Zertifikat nicht.`,
    challengeText: (t) =>
      `Stattdessen steht dort ein TXT-Eintrag, ${t.first}: Neben einem CNAME darf es keinen anderen Eintrag geben.`,

    textHas: (t) => `Der TXT-Eintrag unter ${t.at} hat den Wert ${t.first}.`,
    textsHave: (t) =>
      t.plural(t.count, {
        one: `Der TXT-Eintrag unter ${t.at} hat den Wert ${t.values}.`,
        other: `Die TXT-Einträge unter ${t.at} haben die Werte ${t.values}.`,
      }),
    proofMissing: 'Es fehlt der Wert, der nachweist, dass die Domain Ihnen gehört.',
    othersMayStay: (t) =>
      t.plural(t.count, { one: 'Der andere Wert darf bleiben.', other: 'Die anderen Werte dürfen bleiben.' }),
    textBeside: 'Neben dem richtigen Wert steht weiterer Text.',
    textBefore: 'Vor dem Token steht anderer Text, und es ist ein anderes Token.',
    otherCharacter: (t) => `Das Zeichen an Stelle ${t.position} ist ${t.found} statt ${t.wanted}.`,
    moreCharacters: (t) => `Nach Zeichen ${t.before} folgt weiterer Text.`,
    fewerCharacters: (t) => `Alles nach Zeichen ${t.before} fehlt.`,
    textQuotes: 'Er enthält Anführungszeichen, die nicht dazugehören.',
    textCase: 'Die Groß- und Kleinschreibung stimmt nicht.',
    hasSpace: 'Er enthält ein Leerzeichen, das nicht dazugehört.',
    hasTab: 'Er enthält ein Tabulatorzeichen, das nicht dazugehört.',
    hasLineBreak: 'Er enthält einen Zeilenumbruch, der nicht dazugehört.',
    hasInvisible: (t) => `Er enthält ein unsichtbares Zeichen (${t.found}), das nicht dazugehört.`,
    textEncoded: 'Ein Programm hat darin Zeichen durch Codes ersetzt.',
    textStale:
      'Das sieht aus wie der Wert einer anderen Domain oder wie ein früherer Wert dieser Domain, bevor sie gelöscht und erneut hinzugefügt wurde.',
    textOfOther: (t) => `Das ist der Wert von ${t.owner}.`,
    beginningMissing: 'Der Anfang fehlt.',
    endMissing: 'Das Ende fehlt.',

    notRegistered: (t) =>
      `Die Domain ${t.name} gibt es nicht: Sie ist nicht registriert, abgelaufen oder hat keine Nameserver.`,
    expired: (t) =>
      `Die Registrierung von ${t.name} scheint abgelaufen zu sein: Die Nameserver (${t.servers}) sind die von ${t.provider} für nicht verlängerte oder ungenutzte Domains.`,
    parked: (t) =>
      `Die Domain ${t.name} ist bei ${t.provider} geparkt: Die Nameserver (${t.servers}) gehören zu einem Dienst, der Werbung anzeigt. Dort lassen sich keine Einträge anlegen.`,
    parkedAddresses: (t) => `Jeder Name dieser Domain, auch ${t.name} selbst, führt zu ${t.addresses}.`,
    nameserversAre: (t) => `Eingestellt sind ${t.delegation} die Nameserver ${t.servers}.`,
    recordIsAt: (t) => `Der ${t.type}-Eintrag von ${t.otherName} liegt auf ${t.seenServers}.`,
    zoneNames: (t) => `Die Zone selbst nennt ${t.seenServers}.`,
    onlySeenAt: (t) => `Sichtbar ist nur, was bei ${t.provider} eingetragen ist.`,
    onlySeenAtFirst: 'Sichtbar ist nur, was auf den erstgenannten eingetragen ist.',
    listsDiffer: (t) => `Die Nameserver ${t.delegation} sind andere als in der Zone ${t.name} selbst.`,
    onlyDelegated: (t) => `Nur ${t.delegation}: ${t.onlyDelegated}.`,
    onlyInZone: (t) => `Nur in der Zone selbst: ${t.onlyInZone}.`,
    disagree: (t) => `Die Nameserver von ${t.zone} sind sich über den ${t.type}-Eintrag unter ${t.at} nicht einig.`,
    differently: (t) =>
      `Der Nameserver ${t.servers} gibt für den ${t.type}-Eintrag unter ${t.at} wechselnde Antworten.`,
    answers: (t) => `${t.servers} antwortet: ${t.answer}.`,
    nothingThere: 'kein Eintrag',
    cnameThere: (t) => `ein CNAME auf ${t.chain}`,
    cnameToItself: 'ein CNAME auf sich selbst',
    bogus: (t) => `DNSSEC (die Signaturen der DNS-Einträge) der Zone ${t.zone} ist fehlerhaft.`,
    mostCannotSee: 'Der größte Teil des Internets sieht die Einträge der Zone nicht.',
    signatureExpired: 'Die Signatur ist abgelaufen.',
    signatureNotYetValid: 'Die Signatur ist noch nicht gültig.',
    keyMissing: 'Die Zone hat keinen Schlüssel, der zu ihrem DS-Eintrag passt.',
    signatureMissing: 'Die Signatur fehlt.',
    absenceUnproven: 'Es fehlt der Nachweis, dass es den Namen nicht gibt.',
    dsIs: (t) => `Der DS-Eintrag der Zone ist ${t.value}.`,
    noticedAfter: (t) => `Nach der Korrektur kann es ${t.lasting} dauern, bis das bemerkt wird.`,
    caaForbids: (t) =>
      `Die CAA-Einträge von ${t.name} verbieten unserer Zertifizierungsstelle, ein Zertifikat auszustellen: ${t.values}.`,
    staleCache: (t) =>
      `Die Nameserver haben den ${t.type}-Eintrag von ${t.name}, aber öffentliche Resolver antworten womöglich noch bis zum ${t.until} aus ihrem Cache.`,
    held: (t) => `${t.name} ist bereits für ein anderes Konto dieses Dienstes bestätigt.`,
    heldLater: (t) =>
      `Ein anderes Konto dieses Dienstes hat ${t.name} bestätigt, nachdem Sie die Domain hier hinzugefügt haben. Ihre Einträge könnten also von früher stammen.`,
    heldSilent: (t) =>
      `Keiner der Nameserver von ${t.zone} antwortet (${t.servers}), und was Resolver im Cache haben, reicht nicht, um den Namen in dieses Konto zu holen.`,
    heldRecords: 'Die Einträge des anderen Kontos sind noch vorhanden.',
    oneHasIt: (t) => `${t.servers} hat ihn, ${t.seenServers} nicht.`,
    notAllAsked: 'Nicht alle Nameserver wurden abgefragt.',

    resolversFail: (t) =>
      `Die DNS-Resolver dieses Dienstes geben keine brauchbare Antwort; ${t.name} konnte deshalb nicht abgefragt werden.`,
    zoneUnread: (t) => `Die Zone ${t.name} konnte nicht abgefragt werden.`,
    someUnread: (t) => `Nicht alle Nameserver von ${t.name} konnten abgefragt werden.`,
    delegationUnread: (t) => `Die Nameserver von ${t.name} waren nicht zu finden.`,
    nameUnread: (t) => `${t.name} konnte nicht abgefragt werden.`,
    othersAnswer: (t) => `Zu anderen Namen in der Zone ${t.zone} kommen Antworten.`,
    itsNameservers: 'Nameserver der Zone',
    serverTimeout: (t) => `Keine rechtzeitige Antwort: ${t.servers}.`,
    serverFailure: (t) => `Fehler (SERVFAIL) als Antwort: ${t.servers}.`,
    serverRefused: (t) => `Antwort verweigert (REFUSED): ${t.servers}.`,
    serverLame: (t) => `Für die Zone nicht zuständig (Lame Delegation): ${t.servers}.`,
    serverMalformed: (t) => `Ungültige DNS-Antworten: ${t.servers}.`,
    serverWithoutAddress: (t) => `Ohne IP-Adresse: ${t.servers}.`,
    serverUnreachable: (t) => `Nicht erreichbar: ${t.servers}.`,
    serverPrivate: (t) => `Private oder besondere IP-Adresse, die nie abgefragt wird: ${t.servers}.`,
    serverTcp: (t) => `Keine Antwort über TCP: ${t.servers}.`,
    serverInconsistent: (t) => `Abweichende Liste von Nameservern auf: ${t.servers}.`,
    parentNameserver: 'ein Nameserver der übergeordneten Zone',

    outside: (t) =>
      `Besucher von ${t.name} erreichen die Website unter ${t.plural(t.count, { one: 'der Adresse', other: 'den Adressen' })} ${t.addresses} nicht.`,
    outsideOther: 'Dort antwortet ein anderer Server, der Anfragen nicht an diesen Dienst weiterreicht.',
    outsideWrongName: 'Sie bekommen ein Zertifikat, das nicht für diesen Namen gilt.',
    outsideExpired: 'Sie bekommen ein abgelaufenes Zertifikat.',
    outsideNotYet: 'Sie bekommen ein Zertifikat, das noch nicht gültig ist.',
    outsideUntrusted: 'Sie bekommen ein Zertifikat, dem Browser nicht vertrauen.',
    outsidePrivate: 'Aus dem Internet führt kein Weg dorthin.',
    outsideRefused: 'Auf Port 443 nimmt kein Dienst Verbindungen an.',
    outsideTls: 'Auf Port 443 kommt kein TLS-Handshake zustande.',
    outsideNothing: 'Der Server beendet die Verbindung ohne Antwort.',
    outsideTimeout: 'Es kommt keine rechtzeitige Antwort.',

    add: (t) => `Legen Sie ${t.where} einen ${t.type}-Eintrag an.`,
    change: (t) => `Ändern Sie ${t.where} den ${t.type}-Eintrag.`,
    replace: (t) =>
      `Löschen Sie ${t.where} unter diesem Namen alle Einträge vom Typ ${t.removes} und legen Sie einen ${t.type}-Eintrag an.`,
    changeName: (t) => `Ändern Sie ${t.where} den Namen des ${t.type}-Eintrags.`,
    zoneIsAdded: (t) => `${t.zone} wird dort automatisch angehängt.`,
    punycode: (t) => `Geben Sie ${t.where} den Namen in der Form mit „xn--“ ein.`,
    dotAtEnd: (t) => `Setzen Sie ${t.where} einen Punkt ans Ende des Werts des CNAME-Eintrags.`,
    withoutQuotes: 'Geben Sie den Wert ohne Anführungszeichen ein.',
    exchangeNames: (t) => `Tauschen Sie ${t.where} die Namen der beiden Einträge.`,
    forCname: (t) => `Name des CNAME-Eintrags: ${t.entered}.`,
    forText: (t) => `Name des TXT-Eintrags: ${t.entered}.`,
    deleteDelegation: (t) =>
      `Löschen Sie die NS-Einträge von ${t.name} in der Zone ${t.zone} und legen Sie dort den CNAME-Eintrag an.`,
    ifNoProxy: 'Wenn das nicht die Adressen eines Proxys von Ihnen sind, ersetzen Sie sie durch einen CNAME-Eintrag.',
    orAddText: 'Oder, wenn diese Adressen zu einem Proxy von Ihnen gehören: Legen Sie einen TXT-Eintrag an.',
    orPublishText: 'Oder, wenn diese Adressen zu einem Proxy von Ihnen gehören: Berichtigen Sie den TXT-Eintrag.',
    doNotProxy: 'Der Anbieter darf ihn nicht über seinen Proxy leiten (Cloudflare: graue Wolke, „Nur DNS“).',
    keepOne: (t) =>
      `Löschen Sie ${t.where} alle anderen CNAME-, A- und AAAA-Einträge unter diesem Namen und behalten Sie einen CNAME-Eintrag.`,
    deleteCname: 'Löschen Sie den CNAME-Eintrag.',
    addAddresses: (t) => `Tragen Sie ${t.where} für ${t.at} nur diese Adressen ein: ${t.addresses}.`,
    addAlias: (t) =>
      `Legen Sie ${t.where} den Eintrag an, der ALIAS, ANAME oder „CNAME Flattening“ heißt, und keine A- oder AAAA-Einträge.`,
    addTyped: (t) => `Legen Sie ${t.where} einen Eintrag vom Typ ${t.typeInZone} an, und keine A- oder AAAA-Einträge.`,
    register: (t) =>
      `Registrieren oder verlängern Sie ${t.name} bei einem Registrar und stellen Sie dort die Nameserver ein.`,
    mistypedLook: 'Wenn der Name einen Tippfehler enthält, prüfen Sie den richtigen.',
    mistypedAdd: 'Wenn der Name einen Tippfehler enthält, löschen Sie diese Domain und fügen Sie die richtige hinzu.',
    renew: (t) =>
      `Verlängern Sie ${t.name} beim Registrar. Falls die früheren Nameserver nicht automatisch zurückkommen, stellen Sie sie dort ein.`,
    changeNameservers: (t) =>
      `Stellen Sie ${t.delegation} die Nameserver eines DNS-Anbieters ein. Legen Sie die Einträge bei diesem Anbieter an.`,
    setNameservers: (t) => `Stellen Sie ${t.delegation} die Nameserver auf ${t.seenServers} um.`,
    orPublishAt: (t) => `Oder legen Sie die Einträge bei ${t.servers} an.`,
    sameLists: (t) =>
      `Gleichen Sie beide Listen an: ${t.delegation} oder in den NS-Einträgen der Zone ${t.name} selbst.`,
    waitMinutes: 'Wenn Sie den Eintrag gerade geändert haben, warten Sie einige Minuten.',
    askWhyDifferent: 'Fragen Sie andernfalls den DNS-Anbieter, warum sich die Antworten unterscheiden.',
    publishSame:
      'Tragen Sie andernfalls auf allen dasselbe ein oder entfernen Sie die Nameserver, die davon abweichen.',
    nothingToDo: 'Sie müssen nichts tun: Dieser Dienst prüft automatisch noch einmal.',
    mendDsRegistrar: (t) =>
      `Entfernen Sie beim Registrar von ${t.zone} den DS-Eintrag oder ersetzen Sie ihn durch den, den der DNS-Anbieter anzeigt.`,
    mendDsAbove: (t) =>
      `Entfernen Sie in der übergeordneten Zone von ${t.zone} den DS-Eintrag oder ersetzen Sie ihn durch den, den der DNS-Anbieter anzeigt.`,
    signAgain: (t) =>
      `Bitten Sie den DNS-Anbieter von ${t.zone}, die Zone neu zu signieren. Oder ändern Sie den DS-Eintrag:`,
    orSignAgain: 'Oder lassen Sie die Zone neu signieren.',
    deleteCaa: (t) =>
      `Löschen Sie den CAA-Eintrag mit dem Tag ${t.tag}: Solange seine Flags 128 oder höher sind, darf keine Zertifizierungsstelle ein Zertifikat ausstellen.`,
    recreate:
      'Wenn der Name Ihnen gehört, löschen Sie die Domain, fügen Sie sie erneut hinzu und legen Sie die neuen Einträge an.',
    askSilent: (t) =>
      `Fragen Sie den DNS-Anbieter von ${t.zone}, warum seine Nameserver nicht antworten. Der Name wechselt das Konto, sobald sie antworten und nur die Einträge dieser Domain haben.`,
    removeOthers: (t) =>
      `Entfernen Sie ${t.where} jeden anderen TXT-Eintrag unter ${t.at} und lassen Sie ${t.name} nur auf ${t.expected} zeigen.`,
    moveWithBoth: (t) =>
      `Um den Namen in dieses Konto zu holen, legen Sie beide Einträge dieser Domain an und entfernen Sie den TXT-Eintrag des anderen Kontos unter ${t.at}.`,
    moveWithText: (t) =>
      `Um den Namen in dieses Konto zu holen, legen Sie den TXT-Eintrag dieser Domain an und entfernen Sie den des anderen Kontos unter ${t.at}.`,
    replaceCertificate:
      'Ersetzen Sie auf dem Proxy oder Load Balancer mit dieser Adresse das Zertifikat oder leiten Sie Verbindungen unverändert an diesen Dienst durch.',
    renewCertificate:
      'Erneuern Sie auf dem Proxy oder Load Balancer mit dieser Adresse das Zertifikat oder leiten Sie Verbindungen unverändert an diesen Dienst durch.',
    orPassOn: (t) =>
      `Oder, wenn diese Adresse zu einem Proxy von Ihnen gehört: Lassen Sie ihn auch alles unter ${t.value} weiterreichen.`,
    openPort: 'Öffnen Sie Port 443 auf diesem Server.',
    orUnused: 'Oder, wenn die Adresse nicht mehr genutzt wird:',
    waitUntilThen: 'Warten Sie bis dahin.',
    askAboutName: (t) => `Fragen Sie den DNS-Anbieter von ${t.zone} nach dem Grund.`,
    underscore: 'Eine Firewall verwirft womöglich Namen, die mit einem Unterstrich beginnen.',
    orAddAgain: (t) => `Oder löschen Sie den ${t.type}-Eintrag und legen Sie ihn neu an.`,
    nothingOrRegistrar:
      'An den Einträgen muss nichts geändert werden. Wenn das Problem bestehen bleibt, fragen Sie den Registrar der Domain.',
    askOrRemove: (t) =>
      `Fragen Sie den DNS-Anbieter von ${t.zone} nach dem Grund oder entfernen Sie ${t.delegation} diese Nameserver: ${t.servers}.`,
    createZone: (t) =>
      `Legen Sie die Zone ${t.zone} bei diesem DNS-Anbieter an oder stellen Sie ${t.delegation} die Nameserver des Anbieters ein, der sie hat.`,
    checkZone: (t) =>
      `Prüfen Sie die Zone ${t.zone} bei ihrem DNS-Anbieter oder fragen Sie ihn: Sie ist womöglich fehlerhaft oder nicht geladen.`,
    correctNames: (t) => `Berichtigen Sie ${t.delegation} die Namen der Nameserver (${t.servers}).`,
    publicAddresses: (t) => `Geben Sie den Nameservern von ${t.zone} öffentliche IP-Adressen oder nutzen Sie andere.`,
    openTcp: (t) =>
      `Öffnen Sie den TCP-Port 53 dieser Nameserver: ${t.servers}. Antworten, die für UDP zu groß sind, werden über TCP abgefragt.`,
    registryTakes:
      'Sie müssen nichts ändern: Ein Wechsel der Nameserver braucht einige Minuten, bis er überall bei der Registry angekommen ist.',
    setNameserversOf: (t) => `Stellen Sie ${t.delegation} die Nameserver von ${t.provider} ein.`,

    certificateNoAddress: (t) => `${t.name} hat keine Adresse; keine Zertifizierungsstelle kann den Namen erreichen.`,
    certificateUnread: (t) =>
      `Das DNS von ${t.name} konnte nicht abgefragt werden. Wir versuchen es automatisch wieder.`,
    certificatePrivate: (t) => `${t.name} führt zu ${t.addresses}. Das liegt nicht im öffentlichen Internet.`,
    certificateUnreachable: (t) => `${t.name} führt zu ${t.addresses}. Dort antwortet auf Port 80 nichts.`,
    certificateOther: (t) =>
      `${t.name} führt zu ${t.addresses}. Dort antwortet ein anderer Server oder ein Proxy, der Anfragen nicht weiterreicht.`,
    certificateCaa: (t) =>
      `Beim letzten Versuch verbot ein CAA-Eintrag unserer Zertifizierungsstelle, ein Zertifikat für ${t.name} auszustellen.`,
    certificateNoRecord: (t) => `Der CNAME-Eintrag für das Zertifikat von ${t.name} fehlt.`,
    certificateRecordElsewhere: (t) => `Der CNAME-Eintrag für das Zertifikat von ${t.name} zeigt woandershin.`,
    certificateNotSeen: (t) => `Der Nachweis für das Zertifikat von ${t.name} ist im DNS noch nicht zu finden.`,
    certificateUnproved: (t) => `Die Zertifizierungsstelle konnte ${t.name} nicht bestätigen.`,
    certificateRefused: (t) => `Die Zertifizierungsstelle stellt für ${t.name} kein Zertifikat aus.`,
    certificateLater: 'Das liegt an uns, nicht an Ihren Einträgen. Wir versuchen es automatisch wieder.',
  },
};
