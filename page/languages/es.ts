import type { Language } from './en.ts';
import { formatsIn } from './formats.ts';

const { list, time, clock, date, duration } = formatsIn('es');

const COUNTS = ['cero', 'un', 'dos', 'tres', 'cuatro'];
const ROUTING = 'Lleva a los visitantes de tu dominio al servicio.';
const CHALLENGE =
  'Permite que el servicio obtenga el certificado y lo renueve. Si tu proveedor ofrece pasar este registro por un proxy, desactiva esa opción.';

export const es: Language = {
  tag: 'es',
  space: ' ',
  texts: {
    space: ' ',
    colon: ': ',
    title: (name) => `Conectar ${name}`,
    titleLive: (name) => `${name} está en línea`,
    connect: 'Conecta tu dominio',
    punycode: 'En el DNS:',
    loading: 'Abriendo tu enlace…',
    noScript: 'Esta página necesita JavaScript para mostrar qué le falta a tu dominio.',
    unreachable: 'No se puede conectar con el servicio. Lo intentamos de nuevo…',
    lost: 'Se perdió la conexión. Reconectando… Mientras tanto, las comprobaciones siguen y no se pierde nada.',
    crowded:
      'Este enlace está abierto en demasiadas pestañas. Cierra las que no necesites: esta seguirá automáticamente.',
    hints: {
      records: () => 'Añade estos registros. Copia cada nombre y cada valor tal cual.',
      add: ({ type }) => `Añade este registro ${type}. Copia su nombre y su valor tal cual.`,
      change: ({ type, count }) =>
        count > 1
          ? 'Cambia estos registros: sustituye lo que aparece tachado.'
          : `Cambia el registro ${type}: sustituye su valor.`,
      rename: ({ type, count }) =>
        count > 1
          ? 'Cambia estos registros: sustituye lo que aparece tachado.'
          : `Cambia el registro ${type}: sustituye su nombre.`,
      exchange: () => 'Intercambia los nombres de los dos registros.',
      replace: ({ type, removes }) =>
        `Elimina ${removes.length > 1 ? 'los registros' : 'el registro'} ${list(removes)} de este nombre. Justo después, añade este registro ${type}.`,
      delete: ({ type }) => `Elimina el registro ${type}.`,
      caa: () => 'Añade este registro CAA. Deja los registros CAA que ya están.',
    },
    logIn: (zone) =>
      zone === null ? 'Inicia sesión donde gestionas tu DNS.' : `Inicia sesión donde gestionas el DNS de ${zone}.`,
    logInAt: (provider) => `Inicia sesión en ${provider}.`,
    alsoAdd: (type) => (type === null ? 'Añade también lo que falta.' : `Añade también el registro ${type}.`),
    mayKeep: '¿Esta dirección es de tu propio proxy? Entonces déjala: basta con el registro TXT.',
    noTxt: 'No necesitas el registro TXT.',
    withoutWww: (name, www) => `Esta página configura solo ${name}: ${www} se configura por separado.`,
    comeBack: 'Vuelve aquí. Esta página se actualiza sola.',
    details: 'Respuesta de la autoridad de certificación',
    stages: {
      publish: ({ provider, records }) => ({
        title: `Añade estos ${COUNTS[records] ?? records} registros ${provider === undefined ? 'a tu DNS' : `en ${provider}`}`,
        text: '',
      }),
      one_found: ({ found, lacking }) => ({
        title: `${found === 1 ? 'Un registro encontrado' : 'Dos registros encontrados'}, ${lacking === 1 ? 'falta uno' : `faltan ${COUNTS[lacking] ?? lacking}`}`,
        text:
          lacking > 1
            ? 'Los demás todavía no aparecen. Tu proveedor puede tardar uno o dos minutos en publicar un registro.'
            : 'El otro todavía no aparece. Tu proveedor puede tardar uno o dos minutos en publicarlo.',
      }),
      unseen: () => ({
        title: 'Ahora mismo no podemos consultar tu DNS',
        text: 'El problema es nuestro. No tienes que hacer nada: volvemos a consultarlo automáticamente. Los registros de abajo no cambian; puedes añadirlos mientras tanto.',
      }),
      fix: ({ missing, wrong }) => ({
        title: `${wrong > 1 ? 'Hay dos cosas' : 'Hay una cosa'} que cambiar${missing === 0 ? '' : ` y ${missing === 1 ? 'un registro' : `${COUNTS[missing] ?? missing} registros`} que añadir`}`,
        text: '',
      }),
      confirming: ({ needsCaa }) => ({
        title: needsCaa ? 'Encontrado. Falta un registro CAA' : 'Encontrado. Última comprobación',
        text: needsCaa
          ? 'Consultamos una vez más todos los servidores de nombres. Mientras tanto, añade el registro CAA: el certificado lo necesita.'
          : 'Ya está todo lo necesario. Consultamos una vez más todos los servidores de nombres; no tienes que hacer nada.',
      }),
      preparing: () => ({
        title: 'Primero, tu certificado',
        text: 'Mientras tanto, tu sitio se queda donde está. No cambies todavía su registro: esta página te dirá cuándo.',
      }),
      ready: () => ({
        title: 'Tu certificado está listo. Ahora cambia este registro',
        text: 'Sustituye el registro que apunta a tu sitio actual. Tus visitantes no notarán nada. Mantén el servidor antiguo en marcha una hora más: algunos visitantes todavía llegan a él.',
      }),
      failed: () => ({
        title: 'Las comprobaciones se han detenido',
        text: 'Revisa los registros de abajo y empieza de nuevo: sus valores no cambian.',
      }),
      certificate: () => ({
        title: 'Registros encontrados. Ahora, el certificado',
        text: 'Una autoridad de certificación lo está emitiendo. Suele tardar menos de un minuto; no tienes que hacer nada.',
      }),
      certificate_blocked: () => ({ title: 'Falta una cosa para el certificado', text: '' }),
      certificate_refused: ({ platform }) => ({
        title: 'Lo estamos revisando',
        text: `El certificado de tu dominio no se ha emitido. No tienes que cambiar nada: ${platform ?? 'el servicio'} puede ver el motivo. Lo volvemos a intentar automáticamente.`,
      }),
      live: () => ({
        title: 'Tu sitio está en línea',
        text: 'Funciona con HTTPS. Puedes cerrar esta página. Deja los registros como están: los comprobamos una vez al día.',
      }),
      live_at_risk: ({ isGone }) => ({
        title: isGone ? 'Los visitantes no encuentran tu sitio: falta un registro' : 'En línea, pero algo ha cambiado',
        text: '',
      }),
    },
    progress: 'Progreso',
    steps: { dns: 'Registros DNS', certificate: 'Certificado', live: 'En línea' },
    stepStates: { done: 'Listo', current: 'En curso', problem: 'Revísalo', waiting: 'Todavía no' },
    yourTurn: 'Te toca',
    movingFirst: '¿Ya hay un sitio en este nombre? Lee «Cambiar sin cortes» más abajo antes de hacer este cambio.',
    movingTitle: 'Cambiar sin cortes',
    movingText:
      '¿Ya hay un sitio en este nombre? Añade primero el registro TXT y este, y deja los demás por ahora. Esta página te dirá cuándo está listo el certificado y qué registro cambiar entonces.',
    movingPurpose:
      'Nos permite obtener el certificado antes del cambio. Si tu proveedor ofrece pasarlo por un proxy, desactiva esa opción.',
    records: 'Registros',
    otherRecords: 'Otros registros',
    recordStates: {
      unknown: 'Buscando…',
      found: 'Encontrado',
      hidden: 'Oculto por tu proveedor',
      missing: 'Aún no aparece',
      misplaced: 'Nombre incorrecto',
      gone: 'Ya no está',
      wrong: 'Hay que cambiarlo',
      unreadable: 'No se pudo leer',
      not_needed: 'Ahora no hace falta',
      later: 'Todavía no',
    },
    purposes: {
      routing: { yes: ROUTING, no: ROUTING, alternative: ROUTING },
      ownership: {
        yes: 'Demuestra que el dominio es tuyo.',
        no: 'Demuestra que el dominio es tuyo. El otro registro ya lo ha hecho.',
        alternative: 'Demuestra que el dominio es tuyo, aunque tu proveedor oculte el otro registro.',
      },
      challenge: { yes: CHALLENGE, no: CHALLENGE, alternative: CHALLENGE },
    },
    recordTitle: (type) => `Registro ${type}`,
    alias: 'Tu proveedor puede llamarlo ALIAS, ANAME o «CNAME flattening».',
    noAlias: (count) =>
      `¿Tu proveedor no tiene ninguno de estos? Entonces añade ${count === 1 ? 'este registro' : 'estos registros'} en su lugar, con el mismo nombre, y ningún otro registro A ni AAAA.`,
    caaState: 'Por añadir',
    caaPurpose: 'El dominio solo permite otras autoridades de certificación. Este registro permite también la nuestra.',
    flags: 'Flags',
    tag: 'Etiqueta',
    name: 'Nombre',
    value: 'Valor',
    emptyName: 'Déjalo vacío',
    fullName: 'Nombre completo',
    fullNameHint: 'La mayoría de los proveedores lo piden sin la zona: «@», o nada, para la propia zona.',
    nameUnknown: 'Espera un momento antes de escribirlo: estamos averiguando cómo lo pide tu proveedor.',
    instead: 'Ahora',
    replacedBy: 'Debe ser',
    ttl: 'Deja el TTL como está.',
    copy: 'Copiar',
    copied: 'Copiado',
    copyWhat: (what, type) => `: ${what.toLowerCase()} del registro ${type}`,
    copyDone: 'Copiado al portapapeles.',
    copyFailed: 'No se pudo copiar. Selecciona el texto y cópialo manualmente.',
    seenNow: 'Lo que se ve ahora',
    seen: {
      matched: 'El valor correcto',
      leads_here: 'Apunta aquí',
      other: 'Encontrado',
      absent: 'Nada',
      unreadable: 'Sin respuesta',
    },
    at: 'en',
    panel: (provider) => `Abrir ${provider}`,
    opensInNewTab: ' (se abre en una pestaña nueva)',
    dnsOnly: 'Pon «Estado de proxy» en «Solo DNS» («DNS only»).',
    panels: {
      cloudflare: (zone) => `${zone} › DNS › Registros`,
      ionos: (zone) => `Dominios y SSL › ${zone} › DNS`,
      ovh: (zone) => `Dominios › ${zone} › Zona DNS`,
      hostinger: (zone) => `Dominios › ${zone} › DNS / Nameservers › Registros DNS`,
    },
    whereUnknown: (nameservers) =>
      `A menudo es donde compraste el dominio. ${nameservers.length === 0 ? '' : `Sus servidores de nombres son ${list(nameservers)}. `}Busca «Registros DNS» o «Zona DNS».`,
    whereShort: (zone) => `En el panel: ${zone} › Registros DNS.`,
    connectAt: (provider) => `Conectar con ${provider}`,
    connectHow: (host) =>
      `Inicias sesión en ${host} y das tu consentimiento. Después, tu proveedor añade los registros por ti.`,
    connectDone: 'Ya has vuelto de tu proveedor. Ahora buscamos los registros, lo que puede tardar un minuto.',
    connectRefused:
      'Tu proveedor no ha añadido los registros. No se ha perdido nada: inténtalo de nuevo o añádelos manualmente, más abajo.',
    checkNow: 'Comprobar ahora',
    tryAgain: 'Empezar de nuevo',
    checking: 'Comprobando…',
    checkAgain: (seconds) => `Comprobar de nuevo en ${duration(seconds)}`,
    asked: {
      same: (at) => `Comprobado a las ${clock(at)}: nada nuevo todavía.`,
      changed: (at) => `Comprobado a las ${clock(at)}.`,
      busy: (at) =>
        `No se comprobó a las ${clock(at)}: demasiadas comprobaciones a la vez. Espera a que termine la cuenta atrás del botón.`,
      failed: (at) => `No se pudo comprobar a las ${clock(at)}: sin conexión. Inténtalo de nuevo.`,
    },
    nextCheck: (seconds) => `Próxima comprobación en ${duration(seconds)}.`,
    checkingSoon: 'Próxima comprobación en unos instantes.',
    until: (at) => `Seguiremos comprobando hasta el ${time(at)}.`,
    nextTry: (at, seconds) =>
      seconds > 0
        ? `Próximo intento ${seconds > 5400 ? `el ${time(at)}` : `en ${duration(seconds)}`}.`
        : 'Próximo intento en unos instantes.',
    nextTrySees: 'Tendrá en cuenta lo que cambies hasta entonces.',
    visit: (name) => `Abrir ${name}`,
    validUntil: (at) => `El certificado es válido hasta el ${date(at)} y se renueva antes.`,
    sendOn: '¿Otra persona gestiona tu DNS? Envíale estos registros',
    sendOnWarning: 'Cualquiera que tenga el enlace puede abrir esta página. Envíalo solo a personas de confianza.',
    sendOnWithoutLink: 'Aquí no hay enlace a esta página. Copia los registros y pégalos en un mensaje.',
    sendByMail: 'Enviar los registros por correo',
    sendCopy: 'Copiar todo',
    sendCopyWhat: ': los registros como texto',
    sendCode: 'Código QR con el enlace a esta página',
    sendCodeText: 'Escanéalo para seguir en el móvil.',
    sent: {
      subject: (name) => `Registros DNS para ${name}`,
      ask: (name, count) =>
        count === 1
          ? `Por favor, añade este registro DNS para ${name}:`
          : `Por favor, añade estos registros DNS para ${name}:`,
      fill: ' ',
      instead: 'O, si el proveedor no tiene este tipo:',
      link: 'Esta página muestra si se han encontrado y, si no, qué está mal:',
    },
    type: 'Tipo',
    help: '¿Dudas?',
    contact: (name) => (name === undefined ? 'Contactar con soporte' : `Contactar con ${name}`),
    askWhom: (name, hasAddress) => `Pide uno nuevo a ${name ?? 'quien te envió el enlace'}${hasAddress ? ': ' : '.'}`,
    ends: {
      unknown: {
        title: 'Este enlace no funciona',
        text: 'No lo reconocemos: puede que el dominio se haya eliminado.',
      },
      incomplete: {
        title: 'Este enlace está incompleto',
        text: 'Falta una parte o se ha modificado. Abre el enlace tal como te lo enviaron o cópialo entero.',
      },
      expired: {
        title: 'Este enlace ha caducado',
        text: 'Los enlaces funcionan durante un tiempo limitado. Tus registros y sus valores no cambian.',
      },
      revoked: { title: 'Este enlace se ha anulado', text: 'Se ha sustituido por otro o ya no debe usarse.' },
      deleted: {
        title: 'El dominio se ha eliminado',
        text: 'Ya no se está configurando. Lo que has publicado no causa ningún problema.',
      },
      disabled: {
        title: 'La configuración está desactivada',
        text: 'La cuenta a la que pertenece este enlace está desactivada. Pregunta a quien te envió el enlace; tus registros y sus valores no cambian.',
      },
      denied: {
        title: 'Esta página no se puede mostrar aquí',
        text: 'El servicio no responde a las peticiones de esta página.',
      },
    },
  },
  findings: {
    atProvider: (t) => `en ${t.provider}`,
    inZone: (t) => `en la configuración DNS de ${t.zone}`,
    atRegistrar: (t) => `en el registrador de ${t.zone}`,
    inZoneAbove: (t) => `en los registros NS de ${t.zone} en la zona superior`,

    entry: (t) => `Nombre: ${t.entered}, valor: ${t.value}.`,
    entryUnnamed: (t) => `Nombre: déjalo vacío, valor: ${t.value}.`,
    entryName: (t) => `Nombre: ${t.entered}.`,
    entryNameEmpty: 'Nombre: déjalo vacío.',
    entryCaa: (t) => `Flags: ${t.flags}, etiqueta: ${t.tag}, valor: ${t.value}.`,

    noRecord: (t) => `No hay ningún registro ${t.type} en ${t.at}.`,
    noAddress: (t) => `${t.at} no tiene dirección, así que nadie puede llegar a él.`,
    asked: (t) => `Servidores de nombres consultados: ${t.servers}.`,
    otherProviderUnseen: 'Los registros de otro proveedor no se ven.',
    zoneOfItsOwn: (t) =>
      `${t.ownZone} es una zona aparte: lo que se publica en la zona ${t.zoneAbove} no se ve en ella.`,
    atOtherName: (t) => `El registro ${t.type} está en ${t.name}; debe estar en ${t.at}.`,
    zoneAppended: (t) => `El proveedor de DNS añade ${t.zone} a cada nombre que se introduce.`,
    textToo: (t) => `El registro TXT está en ${t.otherName}.`,
    notPunycode: (t) =>
      `El registro ${t.type} está en un nombre con caracteres especiales. Para el DNS es un nombre distinto de ${t.at}.`,
    textInstead: 'Ahí debe haber un registro TXT: junto a un CNAME no puede haber ningún otro registro.',
    textOptional: 'Con un registro CNAME correcto, el dominio no necesita ningún registro TXT.',
    valuesSwapped: (t) => `El registro TXT de ${t.at} tiene el valor del registro CNAME, ${t.first}.`,
    namesSwapped: (t) =>
      `Los nombres de los dos registros están intercambiados: el CNAME está en ${t.at} y el TXT en ${t.otherName}.`,
    proofInCname: (t) =>
      `El valor que demuestra que el dominio es tuyo está en un registro CNAME en ${t.at}; debe estar en un registro TXT.`,
    targetInOther: (t) =>
      `En ${t.at}, el valor ${t.expected} está en un registro ${t.removes}; debe estar en un registro CNAME.`,
    nameAbsent: 'Ese nombre no existe en el DNS.',

    leadsTo: (t) => `${t.at} es un CNAME que apunta a ${t.chain}.`,
    hostUnknown: 'Ese host no existe.',
    hostWithoutAddress: 'Ese host no tiene dirección.',
    hasToLead: (t) => `El registro tiene que apuntar a ${t.expected}.`,
    hasToLeadForCertificate: (t) =>
      `El registro tiene que apuntar a ${t.expected} para que este servicio pueda obtener el certificado.`,
    otherTarget: (t) => `${t.at} es un CNAME que apunta a ${t.host}, que no es el destino de este dominio.`,
    otherTargetWhy:
      'Pertenece a otro dominio, es de antes de que este se eliminara y se volviera a añadir, o está mal escrito.',
    valueDoubled: (t) => `El proveedor de DNS ha añadido la zona ${t.zone} al final del valor.`,
    valueUrl: 'El valor es una dirección web (URL), no un nombre de host.',
    valueAddress: 'El valor es una dirección IP, no un nombre de host.',
    valueSpace: 'El valor contiene espacios que sobran.',
    valueQuotes: 'El valor contiene comillas que sobran.',
    valueText: 'Ese es el valor del registro TXT.',
    loop: (t) => `Los registros CNAME de ${t.at} forman un bucle.`,
    loopNames: (t) => `Cada uno apunta al siguiente: ${t.at} → ${t.chain}.`,
    tooLong: (t) => `${t.at} pasa por más de 8 registros CNAME.`,
    tooLongNames: (t) => `Apuntan a ${t.chain}.`,
    hostUnread: 'No se pudo consultar ese host.',
    addressInstead: (t) =>
      `${t.at} tiene ${t.plural(t.count, { one: 'la dirección', other: 'las direcciones' })} ${t.addresses} en lugar de un registro CNAME que apunte a ${t.expected}.`,
    passedOn: (t) =>
      `El registro TXT verifica el dominio. Los visitantes solo llegan a él si esas direcciones los reenvían a ${t.expected}.`,
    conflict: (t) =>
      `${t.at} tiene un registro CNAME que apunta a ${t.first} y otros registros junto a él: ${t.values}.`,
    byChance: 'Los visitantes llegan a uno u otro al azar.',
    apexCname:
      'El nombre de una zona no debe ser un CNAME: otros registros de ese nombre, como los del correo, pueden dejar de funcionar.',
    apexElsewhere: (t) =>
      `${t.at} tiene ${t.plural(t.count, { one: `la dirección ${t.addresses}, que no es`, other: `las direcciones ${t.addresses}, que no son` })} de este servicio.`,
    visitorsElsewhere: 'Los visitantes llegan a otro servidor, salvo que un proxy tuyo los reenvíe.',
    wildcardText: (t) => `El registro TXT de ${t.at} viene de un registro comodín (*) y tiene el valor ${t.first}.`,
    wildcardAddress: (t) =>
      `${t.at} no tiene registro propio: un registro comodín (*) le da ${t.plural(t.count, { one: 'la dirección', other: 'las direcciones' })} ${t.addresses}.`,
    wildcardCname: (t) =>
      `${t.at} no tiene registro propio: un registro comodín (*) lo convierte en un CNAME que apunta a ${t.chain}.`,
    wildcardAbove: 'Ese registro comodín está en un nombre de nivel superior.',

    proxiedBy: (t) => `${t.at} pasa por el proxy de ${t.proxy}, así que su registro no se ve.`,
    proxiedTo: (t) => `${t.at} apunta a un proxy, ${t.host}, así que su registro no se ve.`,
    flattened: (t) => `${t.at} tiene las direcciones de ${t.host}, así que apunta aquí.`,
    flattenedUnseen: (t) =>
      `${t.at} tiene las direcciones de ${t.host} en lugar de un registro CNAME (el proveedor de DNS lo aplana: «flattening»).`,
    onlyText: (t) => `Entonces solo un registro TXT puede verificar el dominio, y no hay ninguno en ${t.at}.`,
    textVerifies: 'El registro TXT verifica el dominio.',
    textNeeded: 'Solo el registro TXT puede verificar el dominio.',
    challengeProxied: (t) =>
      `${t.at} apunta a un proxy (${t.values}), no a ${t.expected}, así que este servicio no puede obtener el certificado.`,
    challengeMissing: (t) =>
      `No hay ningún registro CNAME en ${t.at}, así que este servicio no puede obtener el certificado.`,
    challengeText: (t) =>
      `En su lugar hay un registro TXT, ${t.first}: junto a un CNAME no puede haber ningún otro registro.`,

    textHas: (t) => `El registro TXT de ${t.at} tiene el valor ${t.first}.`,
    textsHave: (t) =>
      t.plural(t.count, {
        one: `El registro TXT de ${t.at} tiene el valor ${t.values}.`,
        other: `Los registros TXT de ${t.at} tienen los valores ${t.values}.`,
      }),
    proofMissing: 'Falta el valor que demuestra que el dominio es tuyo.',
    othersMayStay: (t) =>
      t.plural(t.count, { one: 'El otro valor puede quedarse.', other: 'Los otros valores pueden quedarse.' }),
    textBeside: 'Hay otro texto junto al valor correcto.',
    textBefore: 'Hay otro texto delante, y el token es distinto.',
    otherCharacter: (t) => `El carácter ${t.position} es ${t.found} en lugar de ${t.wanted}.`,
    moreCharacters: (t) => `Sobra texto después del carácter ${t.before}.`,
    fewerCharacters: (t) => `Falta todo lo que sigue al carácter ${t.before}.`,
    textQuotes: 'Contiene comillas que sobran.',
    textCase: 'Las mayúsculas y minúsculas no coinciden.',
    hasSpace: 'Contiene un espacio que sobra.',
    hasTab: 'Contiene una tabulación que sobra.',
    hasLineBreak: 'Contiene un salto de línea que sobra.',
    hasInvisible: (t) => `Contiene un carácter invisible (${t.found}) que sobra.`,
    textEncoded: 'Un programa ha sustituido caracteres por códigos.',
    textStale: 'Parece el valor de otro dominio, o el de este antes de que se eliminara y se volviera a añadir.',
    textOfOther: (t) => `Ese es el valor de ${t.owner}.`,
    beginningMissing: 'Falta el principio.',
    endMissing: 'Falta el final.',

    notRegistered: (t) =>
      `El dominio ${t.name} no existe: no está registrado, ha caducado o no tiene servidores de nombres.`,
    expired: (t) =>
      `El dominio ${t.name} parece haber caducado: sus servidores de nombres (${t.servers}) son los que ${t.provider} usa para dominios sin renovar o sin uso.`,
    parked: (t) =>
      `El dominio ${t.name} está aparcado en ${t.provider}: sus servidores de nombres (${t.servers}) son de un servicio que muestra publicidad. Ahí no se pueden publicar registros.`,
    parkedAddresses: (t) => `Todos sus nombres, también ${t.name}, apuntan a ${t.addresses}.`,
    nameserversAre: (t) => `Los servidores de nombres configurados ${t.delegation} son ${t.servers}.`,
    recordIsAt: (t) => `El registro ${t.type} de ${t.otherName} está en ${t.seenServers}.`,
    zoneNames: (t) => `La propia zona indica ${t.seenServers}.`,
    onlySeenAt: (t) => `Solo se ve lo que está publicado en ${t.provider}.`,
    onlySeenAtFirst: 'Solo se ve lo que está publicado en los primeros.',
    listsDiffer: (t) =>
      `Los servidores de nombres configurados ${t.delegation} no son los de la propia zona ${t.name}.`,
    onlyDelegated: (t) => `Solo ${t.delegation}: ${t.onlyDelegated}.`,
    onlyInZone: (t) => `Solo en la propia zona: ${t.onlyInZone}.`,
    disagree: (t) => `Los servidores de nombres de ${t.zone} no coinciden en el registro ${t.type} de ${t.at}.`,
    differently: (t) =>
      `El servidor de nombres ${t.servers} da respuestas distintas para el registro ${t.type} de ${t.at}.`,
    answers: (t) => `${t.servers} responde: ${t.answer}.`,
    nothingThere: 'ningún registro',
    cnameThere: (t) => `un CNAME que apunta a ${t.chain}`,
    cnameToItself: 'un CNAME que apunta a sí mismo',
    bogus: (t) => `El DNSSEC (las firmas de los registros DNS) de la zona ${t.zone} falla.`,
    mostCannotSee: 'La mayor parte de Internet no ve los registros de la zona.',
    signatureExpired: 'La firma ha caducado.',
    signatureNotYetValid: 'La firma todavía no es válida.',
    keyMissing: 'La zona no tiene ninguna clave que corresponda a su registro DS.',
    signatureMissing: 'Falta la firma.',
    absenceUnproven: 'Falta la prueba de que el nombre no existe.',
    dsIs: (t) => `El registro DS de la zona es ${t.value}.`,
    noticedAfter: (t) => `Después de corregirlo, el cambio puede tardar ${t.lasting} en notarse.`,
    caaForbids: (t) =>
      `Los registros CAA de ${t.name} prohíben a nuestra autoridad de certificación emitir un certificado: ${t.values}.`,
    staleCache: (t) =>
      `Los servidores de nombres tienen el registro ${t.type} de ${t.name}, pero los resolvers públicos pueden responder desde su caché hasta el ${t.until}.`,
    held: (t) => `Otra cuenta de este servicio ya tiene verificado ${t.name}.`,
    heldLater: (t) =>
      `Otra cuenta de este servicio verificó ${t.name} después de que lo añadieras aquí, así que tus registros pueden estar desactualizados.`,
    heldSilent: (t) =>
      `Ninguno de los servidores de nombres de ${t.zone} responde (${t.servers}). Lo que los resolvers tienen en caché no basta para pasar el nombre a esta cuenta.`,
    heldRecords: 'Los registros de esa cuenta siguen ahí.',
    oneHasIt: (t) => `${t.servers} lo tiene; ${t.seenServers}, no.`,
    notAllAsked: 'No se consultaron todos los servidores de nombres.',

    resolversFail: (t) =>
      `Los resolvers DNS de este servicio no dan ninguna respuesta útil, así que no se pudo consultar ${t.name}.`,
    zoneUnread: (t) => `No se pudo consultar la zona ${t.name}.`,
    someUnread: (t) => `No se pudieron consultar todos los servidores de nombres de ${t.name}.`,
    delegationUnread: (t) => `No se encontraron los servidores de nombres de ${t.name}.`,
    nameUnread: (t) => `No se pudo consultar ${t.name}.`,
    othersAnswer: (t) => `Para otros nombres de la zona ${t.zone} sí hay respuestas.`,
    itsNameservers: 'sus servidores de nombres',
    serverTimeout: (t) => `Sin respuesta a tiempo de ${t.servers}.`,
    serverFailure: (t) => `Respuesta de error (SERVFAIL) de ${t.servers}.`,
    serverRefused: (t) => `Consulta rechazada (REFUSED) por ${t.servers}.`,
    serverLame: (t) => `La zona no está alojada en ${t.servers} (delegación defectuosa, «lame delegation»).`,
    serverMalformed: (t) => `Respuestas de ${t.servers} que no son DNS válido.`,
    serverWithoutAddress: (t) => `Sin dirección IP: ${t.servers}.`,
    serverUnreachable: (t) => `No se puede llegar a ${t.servers}.`,
    serverPrivate: (t) => `Dirección IP privada o especial, que nunca se consulta: ${t.servers}.`,
    serverTcp: (t) => `Sin respuesta por TCP de ${t.servers}.`,
    serverInconsistent: (t) => `Servidores de nombres distintos de los demás, según ${t.servers}.`,
    parentNameserver: 'un servidor de nombres de la zona superior',

    outside: (t) =>
      `Los visitantes de ${t.name} no llegan al sitio en ${t.plural(t.count, { one: 'la dirección', other: 'las direcciones' })} ${t.addresses}.`,
    outsideOther: 'Responde otro servidor, que no reenvía las peticiones a este servicio.',
    outsideWrongName: 'Reciben un certificado que no es para este nombre.',
    outsideExpired: 'Reciben un certificado caducado.',
    outsideNotYet: 'Reciben un certificado que todavía no es válido.',
    outsideUntrusted: 'Reciben un certificado en el que los navegadores no confían.',
    outsidePrivate: 'Desde Internet no se puede llegar ahí.',
    outsideRefused: 'Nada escucha en el puerto 443.',
    outsideTls: 'No hay negociación TLS en el puerto 443.',
    outsideNothing: 'El servidor cierra la conexión sin responder.',
    outsideTimeout: 'No hay respuesta a tiempo.',

    add: (t) => `Añade un registro ${t.type} ${t.where}.`,
    change: (t) => `Cambia el registro ${t.type} ${t.where}.`,
    replace: (t) => `Elimina ${t.where} los registros ${t.removes} de este nombre y añade un registro ${t.type}.`,
    changeName: (t) => `Cambia el nombre del registro ${t.type} ${t.where}.`,
    zoneIsAdded: (t) => `El proveedor añade ${t.zone} automáticamente.`,
    punycode: (t) => `Introduce el nombre en su forma «xn--» ${t.where}.`,
    dotAtEnd: (t) => `Termina con un punto el valor del registro CNAME ${t.where}.`,
    withoutQuotes: 'Introduce el valor sin comillas.',
    exchangeNames: (t) => `Intercambia los nombres de los dos registros ${t.where}.`,
    forCname: (t) => `Nombre del registro CNAME: ${t.entered}.`,
    forText: (t) => `Nombre del registro TXT: ${t.entered}.`,
    deleteDelegation: (t) =>
      `Elimina los registros NS de ${t.name} en la zona ${t.zone} y añade ahí el registro CNAME.`,
    ifNoProxy: 'Si no son las direcciones de un proxy tuyo, sustitúyelas por un registro CNAME.',
    orAddText: 'O, si son las direcciones de un proxy tuyo, añade un registro TXT.',
    orPublishText: 'O, si son las direcciones de un proxy tuyo, publica el registro TXT correcto.',
    doNotProxy: 'No dejes que el proveedor lo pase por su proxy (Cloudflare: nube gris, «Solo DNS»).',
    keepOne: (t) =>
      `Elimina ${t.where} los demás registros CNAME, A y AAAA de este nombre y conserva un solo registro CNAME.`,
    deleteCname: 'Elimina el registro CNAME.',
    addAddresses: (t) => `Asigna a ${t.at}, ${t.where}, estas direcciones y ninguna más: ${t.addresses}.`,
    addAlias: (t) =>
      `Añade ${t.where} el registro llamado ALIAS, ANAME o «CNAME flattening», y ningún registro A ni AAAA.`,
    addTyped: (t) => `Añade ${t.where} el registro ${t.typeInZone}, y ningún registro A ni AAAA.`,
    register: (t) => `Registra o renueva ${t.name} en un registrador y configura ahí sus servidores de nombres.`,
    mistypedLook: 'Si el nombre está mal escrito, comprueba el correcto.',
    mistypedAdd: 'Si el nombre está mal escrito, elimina este dominio y añade el correcto.',
    renew: (t) =>
      `Renueva ${t.name} en su registrador. Si los servidores de nombres anteriores no vuelven solos, configúralos ahí.`,
    changeNameservers: (t) =>
      `Cambia los servidores de nombres ${t.delegation} por los de un proveedor de DNS. Publica los registros en ese proveedor.`,
    setNameservers: (t) => `Configura ${t.delegation} estos servidores de nombres: ${t.seenServers}.`,
    orPublishAt: (t) => `O publica los registros en ${t.servers}.`,
    sameLists: (t) =>
      `Haz que las dos listas sean iguales: ${t.delegation}, o en los registros NS de la propia zona ${t.name}.`,
    waitMinutes: 'Si acabas de cambiarlo, espera unos minutos.',
    askWhyDifferent: 'Si no, pregunta al proveedor de DNS por qué sus respuestas son distintas.',
    publishSame: 'Si no, publica lo mismo en todos, o quita los que sean distintos.',
    nothingToDo: 'No tienes que hacer nada: este servicio vuelve a consultarlo automáticamente.',
    mendDsRegistrar: (t) =>
      `En el registrador de ${t.zone}, quita el registro DS o sustitúyelo por el que muestra el proveedor de DNS.`,
    mendDsAbove: (t) =>
      `En la zona superior a ${t.zone}, quita el registro DS o sustitúyelo por el que muestra el proveedor de DNS.`,
    signAgain: (t) => `Pide al proveedor de DNS de ${t.zone} que vuelva a firmar la zona. O cambia así el registro DS:`,
    orSignAgain: 'O vuelve a firmar la zona.',
    deleteCaa: (t) =>
      `Elimina el registro CAA con la etiqueta ${t.tag}: mientras sus flags sean 128 o más, ninguna autoridad de certificación puede emitir.`,
    recreate: 'Si el nombre es tuyo, elimina el dominio, añádelo de nuevo y publica sus nuevos registros.',
    askSilent: (t) =>
      `Pregunta al proveedor de DNS de ${t.zone} por qué sus servidores de nombres no responden. El nombre cambia de cuenta en cuanto respondan y tengan solo los registros de este dominio.`,
    removeOthers: (t) =>
      `Quita ${t.where} cualquier otro registro TXT de ${t.at}, y haz que ${t.name} apunte solo a ${t.expected}.`,
    moveWithBoth: (t) =>
      `Para pasar el nombre a esta cuenta, publica los dos registros de este dominio y quita el registro TXT de la otra cuenta en ${t.at}.`,
    moveWithText: (t) =>
      `Para pasar el nombre a esta cuenta, publica el registro TXT de este dominio y quita el de la otra cuenta en ${t.at}.`,
    replaceCertificate:
      'En el proxy o balanceador de carga que tiene esta dirección, sustituye el certificado o deja pasar las conexiones tal cual hasta este servicio.',
    renewCertificate:
      'En el proxy o balanceador de carga que tiene esta dirección, renueva el certificado o deja pasar las conexiones tal cual hasta este servicio.',
    orPassOn: (t) => `O, si un proxy tuyo tiene esta dirección, haz que reenvíe también lo que cuelga de ${t.value}.`,
    openPort: 'Abre el puerto 443 en ese servidor.',
    orUnused: 'O, si la dirección ya no se usa, haz lo siguiente:',
    waitUntilThen: 'Espera hasta entonces.',
    askAboutName: (t) => `Pregunta el motivo al proveedor de DNS de ${t.zone}.`,
    underscore: 'Puede que un firewall descarte los nombres que empiezan por guion bajo.',
    orAddAgain: (t) => `O elimina el registro ${t.type} y añádelo de nuevo.`,
    nothingOrRegistrar:
      'No hay que cambiar nada en los registros. Si el problema continúa, pregunta al registrador del dominio.',
    askOrRemove: (t) =>
      `Pregunta el motivo al proveedor de DNS de ${t.zone}, o quita ${t.delegation} estos servidores de nombres: ${t.servers}.`,
    createZone: (t) =>
      `Crea la zona ${t.zone} en ese proveedor de DNS, o configura ${t.delegation} los servidores de nombres del proveedor que la tiene.`,
    checkZone: (t) =>
      `Revisa la zona ${t.zone} en su proveedor de DNS, o pregúntale: la zona puede tener un error o no estar cargada.`,
    correctNames: (t) => `Corrige los nombres de los servidores de nombres (${t.servers}) ${t.delegation}.`,
    publicAddresses: (t) => `Asigna direcciones IP públicas a los servidores de nombres de ${t.zone}, o usa otros.`,
    openTcp: (t) => `Abre el puerto TCP 53 en ${t.servers}: las respuestas demasiado grandes para UDP se leen por TCP.`,
    registryTakes:
      'No hay que cambiar nada: un cambio de servidores de nombres tarda unos minutos en llegar a todo el registro de dominios.',
    setNameserversOf: (t) => `Configura ${t.delegation} los servidores de nombres de ${t.provider}.`,

    certificateNoAddress: (t) =>
      `${t.name} no tiene dirección, así que ninguna autoridad de certificación puede llegar a él.`,
    certificateUnread: (t) => `No se pudo consultar el DNS de ${t.name}. Lo volvemos a intentar automáticamente.`,
    certificatePrivate: (t) => `${t.name} apunta fuera de la Internet pública: ${t.addresses}.`,
    certificateUnreachable: (t) => `${t.name} apunta a ${t.addresses}, donde nada responde en el puerto 80.`,
    certificateOther: (t) =>
      `${t.name} apunta a ${t.addresses}, donde responde otro servidor o un proxy que no reenvía las peticiones.`,
    certificateCaa: (t) =>
      `En el último intento, un registro CAA prohibía a nuestra autoridad de certificación emitir un certificado para ${t.name}.`,
    certificateNoRecord: (t) => `Falta el registro CNAME para el certificado de ${t.name}.`,
    certificateRecordElsewhere: (t) => `El registro CNAME para el certificado de ${t.name} apunta a otro lugar.`,
    certificateNotSeen: (t) => `La prueba para el certificado de ${t.name} todavía no aparece en el DNS.`,
    certificateUnproved: (t) => `La autoridad de certificación no pudo validar ${t.name}.`,
    certificateRefused: (t) => `La autoridad de certificación no emite un certificado para ${t.name}.`,
    certificateLater: 'El problema es nuestro, no de tus registros. Lo volvemos a intentar automáticamente.',
  },
};
