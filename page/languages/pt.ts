import type { Language } from './en.ts';
import { formatsIn } from './formats.ts';

const { list, time, clock, date, duration } = formatsIn('pt-BR');

const COUNTS = ['zero', 'um', 'dois', 'três', 'quatro'];
const ROUTING = 'Leva os visitantes do seu domínio ao serviço.';
const CHALLENGE =
  'Permite que o serviço obtenha o certificado e o renove. Se o seu provedor oferecer um proxy para este registro, desative-o.';

export const pt: Language = {
  tag: 'pt-BR',
  space: ' ',
  texts: {
    space: ' ',
    colon: ': ',
    title: (name) => `Conectar ${name}`,
    titleLive: (name) => `${name} está no ar`,
    connect: 'Conecte seu domínio',
    punycode: 'No DNS:',
    loading: 'Abrindo seu link…',
    noScript: 'Esta página precisa de JavaScript para mostrar o que falta ao seu domínio.',
    unreachable: 'Não foi possível acessar o serviço. Tentando de novo…',
    lost: 'A conexão caiu. Reconectando… Enquanto isso, as verificações continuam e nada se perde.',
    crowded: 'Este link está aberto em abas demais. Feche as que você não usa: esta continua automaticamente.',
    hints: {
      records: () => 'Adicione estes registros. Copie cada nome e cada valor exatamente como está.',
      add: ({ type }) => `Adicione este registro ${type}. Copie o nome e o valor exatamente como estão.`,
      change: ({ type, count }) =>
        count > 1
          ? 'Altere estes registros: substitua o que está riscado.'
          : `Altere o registro ${type}: substitua o valor.`,
      rename: ({ type, count }) =>
        count > 1
          ? 'Altere estes registros: substitua o que está riscado.'
          : `Altere o registro ${type}: substitua o nome.`,
      exchange: () => 'Troque os nomes dos dois registros.',
      replace: ({ type, removes }) =>
        `Exclua ${removes.length > 1 ? 'os registros' : 'o registro'} ${list(removes)} deste nome. Logo em seguida, adicione este registro ${type}.`,
      delete: ({ type }) => `Exclua o registro ${type}.`,
      caa: () => 'Adicione este registro CAA. Mantenha os registros CAA que já existem.',
    },
    logIn: (zone) =>
      zone === null
        ? 'Entre na conta em que você gerencia seu DNS.'
        : `Entre na conta em que você gerencia o DNS de ${zone}.`,
    logInAt: (provider) => `Entre na sua conta ${provider}.`,
    alsoAdd: (type) => (type === null ? 'Adicione também o que falta.' : `Adicione também o registro ${type}.`),
    mayKeep: 'Este endereço é do seu próprio proxy? Então mantenha-o: o registro TXT é suficiente.',
    noTxt: 'Você não precisa do registro TXT.',
    withoutWww: (name, www) => `Esta página configura apenas ${name}: ${www} é configurado separadamente.`,
    comeBack: 'Volte para cá. Esta página se atualiza sozinha.',
    details: 'Resposta da autoridade certificadora',
    stages: {
      publish: ({ provider, records }) => ({
        title: `Adicione estes ${COUNTS[records] ?? records} registros ${provider === undefined ? 'ao seu DNS' : `no provedor ${provider}`}`,
        text: '',
      }),
      one_found: ({ found, lacking }) => ({
        title: `${found === 1 ? 'Um registro encontrado' : 'Dois registros encontrados'}, ${lacking === 1 ? 'falta um' : `faltam ${COUNTS[lacking] ?? lacking}`}`,
        text:
          lacking > 1
            ? 'Os outros ainda não aparecem. Seu provedor pode levar um ou dois minutos para publicar um registro.'
            : 'O outro ainda não aparece. Seu provedor pode levar um ou dois minutos para publicá-lo.',
      }),
      unseen: () => ({
        title: 'Não conseguimos consultar seu DNS agora',
        text: 'O problema é nosso. Você não precisa fazer nada: consultamos de novo automaticamente. Os registros abaixo não mudam; você pode adicioná-los enquanto isso.',
      }),
      fix: ({ missing, wrong }) => ({
        title: `${wrong > 1 ? 'Duas coisas' : 'Uma coisa'} para alterar${missing === 0 ? '' : ` e ${missing === 1 ? 'um registro' : `${COUNTS[missing] ?? missing} registros`} para adicionar`}`,
        text: '',
      }),
      confirming: ({ needsCaa }) => ({
        title: needsCaa ? 'Encontrado. Falta um registro CAA' : 'Encontrado. Última verificação',
        text: needsCaa
          ? 'Consultamos mais uma vez todos os servidores de nomes. Enquanto isso, adicione o registro CAA: o certificado precisa dele.'
          : 'Tudo o que é preciso está lá. Consultamos mais uma vez todos os servidores de nomes; você não precisa fazer nada.',
      }),
      preparing: () => ({
        title: 'Primeiro, o seu certificado',
        text: 'Enquanto isso, seu site fica onde está. Não altere o registro dele ainda: esta página avisa quando.',
      }),
      ready: () => ({
        title: 'Seu certificado está pronto. Agora altere este registro',
        text: 'Substitua o registro que aponta para o seu site atual. Seus visitantes não percebem nada. Deixe o servidor antigo no ar por mais uma hora: alguns visitantes ainda chegam a ele.',
      }),
      failed: () => ({
        title: 'As verificações pararam',
        text: 'Confira os registros abaixo e comece de novo: os valores não mudam.',
      }),
      certificate: () => ({
        title: 'Registros encontrados. Agora, o certificado',
        text: 'Uma autoridade certificadora está emitindo o certificado. Em geral leva menos de um minuto; você não precisa fazer nada.',
      }),
      certificate_blocked: () => ({ title: 'Falta uma coisa para o certificado', text: '' }),
      certificate_refused: ({ platform }) => ({
        title: 'Estamos analisando o problema',
        text: `O certificado do seu domínio não foi emitido. Você não precisa mudar nada: ${platform ?? 'o serviço'} consegue ver o motivo. Tentamos de novo automaticamente.`,
      }),
      live: () => ({
        title: 'Seu site está no ar',
        text: 'Ele já usa HTTPS. Você pode fechar esta página. Mantenha os registros como estão: verificamos uma vez por dia.',
      }),
      live_at_risk: ({ isGone }) => ({
        title: isGone ? 'Os visitantes não encontram seu site: falta um registro' : 'No ar, mas algo mudou',
        text: '',
      }),
    },
    progress: 'Progresso',
    steps: { dns: 'Registros DNS', certificate: 'Certificado', live: 'No ar' },
    stepStates: { done: 'Concluído', current: 'Em andamento', problem: 'Confira', waiting: 'Ainda não' },
    yourTurn: 'Sua vez',
    movingFirst: 'Já existe um site neste nome? Leia “Mude sem sair do ar” abaixo antes de fazer esta alteração.',
    movingTitle: 'Mude sem sair do ar',
    movingText:
      'Já existe um site neste nome? Adicione primeiro o registro TXT e este, e deixe os outros por enquanto. Esta página avisa quando o certificado estiver pronto e qual registro alterar então.',
    movingPurpose:
      'Permite que obtenhamos o certificado antes da mudança. Se o seu provedor oferecer um proxy para ele, desative-o.',
    records: 'Registros',
    otherRecords: 'Outros registros',
    recordStates: {
      unknown: 'Procurando…',
      found: 'Encontrado',
      hidden: 'Oculto pelo seu provedor',
      missing: 'Ainda não aparece',
      misplaced: 'Nome errado',
      gone: 'Não está mais lá',
      wrong: 'Precisa ser alterado',
      unreadable: 'Não foi possível ler',
      not_needed: 'Não é preciso agora',
      later: 'Ainda não',
    },
    purposes: {
      routing: { yes: ROUTING, no: ROUTING, alternative: ROUTING },
      ownership: {
        yes: 'Prova que o domínio é seu.',
        no: 'Prova que o domínio é seu. O outro registro já fez isso.',
        alternative: 'Prova que o domínio é seu, mesmo que o seu provedor oculte o outro registro.',
      },
      challenge: { yes: CHALLENGE, no: CHALLENGE, alternative: CHALLENGE },
    },
    recordTitle: (type) => `Registro ${type}`,
    alias: 'Seu provedor pode chamá-lo de ALIAS, ANAME ou “CNAME flattening”.',
    noAlias: (count) =>
      `Seu provedor não tem nenhum desses? Então adicione ${count === 1 ? 'este registro' : 'estes registros'} no lugar, com o mesmo nome, e nenhum outro registro A ou AAAA.`,
    caaState: 'Falta adicionar',
    caaPurpose: 'O domínio só permite outras autoridades certificadoras. Este registro permite também a nossa.',
    flags: 'Flags',
    tag: 'Tag',
    name: 'Nome',
    value: 'Valor',
    emptyName: 'Deixe em branco',
    fullName: 'Nome completo',
    fullNameHint: 'A maioria dos provedores pede o nome sem a zona: “@”, ou nada, para a própria zona.',
    nameUnknown: 'Espere um instante antes de digitar: estamos descobrindo como o seu provedor pede o nome.',
    instead: 'Agora',
    replacedBy: 'Deve ser',
    ttl: 'Deixe o TTL como está.',
    copy: 'Copiar',
    copied: 'Copiado',
    copyWhat: (what, type) => `: ${what.toLowerCase()} do registro ${type}`,
    copyDone: 'Copiado para a área de transferência.',
    copyFailed: 'Não foi possível copiar. Selecione o texto e copie-o manualmente.',
    seenNow: 'O que aparece agora',
    seen: {
      matched: 'O valor correto',
      leads_here: 'Aponta para cá',
      other: 'Encontrado',
      absent: 'Nada',
      unreadable: 'Sem resposta',
    },
    at: 'em',
    panel: (provider) => `Abrir ${provider}`,
    opensInNewTab: ' (abre em uma nova aba)',
    dnsOnly: 'Deixe “Status do proxy” em “Somente DNS” (“DNS only”).',
    panels: {
      cloudflare: (zone) => `${zone} › DNS › Registros`,
      hostinger: (zone) => `Domínios › ${zone} › DNS / Nameservers › Registros DNS`,
    },
    whereUnknown: (nameservers) =>
      `Muitas vezes é onde você comprou o domínio. ${nameservers.length === 0 ? '' : `Os servidores de nomes são ${list(nameservers)}. `}Procure “Registros DNS” ou “Zona DNS”.`,
    whereShort: (zone) => `No painel: ${zone} › Registros DNS.`,
    connectAt: (provider) => `Conectar com ${provider}`,
    connectHow: (host) => `Você entra em ${host} e autoriza. Depois, seu provedor adiciona os registros para você.`,
    connectDone: 'Seu provedor trouxe você de volta. Agora procuramos os registros, o que pode levar um minuto.',
    connectRefused:
      'Seu provedor não adicionou os registros. Nada se perdeu: tente de novo ou adicione-os manualmente, abaixo.',
    checkNow: 'Verificar agora',
    tryAgain: 'Começar de novo',
    checking: 'Verificando…',
    checkAgain: (seconds) => `Verificar de novo em ${duration(seconds)}`,
    asked: {
      same: (at) => `Última verificação às ${clock(at)}: nada novo ainda.`,
      changed: (at) => `Última verificação às ${clock(at)}.`,
      busy: (at) =>
        `Sem verificação às ${clock(at)}: há verificações demais ao mesmo tempo. Espere a contagem regressiva do botão acabar.`,
      failed: (at) => `Não foi possível verificar às ${clock(at)}: sem conexão. Tente de novo.`,
    },
    nextCheck: (seconds) => `Próxima verificação em ${duration(seconds)}.`,
    checkingSoon: 'Vamos verificar em instantes.',
    until: (at) => `Continuamos verificando até ${time(at)}.`,
    nextTry: (at, seconds) =>
      seconds > 0
        ? `Próxima tentativa${seconds > 5400 ? `: ${time(at)}` : ` em ${duration(seconds)}`}.`
        : 'Próxima tentativa em instantes.',
    nextTrySees: 'Ela já considera o que você alterar até lá.',
    visit: (name) => `Abrir ${name}`,
    validUntil: (at) => `O certificado é válido até ${date(at)} e é renovado antes disso.`,
    sendOn: 'Outra pessoa gerencia seu DNS? Envie a ela estes registros',
    sendOnWarning: 'Quem tiver o link pode abrir esta página. Envie só a pessoas em quem você confia.',
    sendOnWithoutLink: 'Aqui não há link para esta página. Copie os registros e cole-os em uma mensagem.',
    sendByMail: 'Enviar os registros por e-mail',
    sendCopy: 'Copiar tudo',
    sendCopyWhat: ': os registros como texto',
    sendCode: 'QR code com o link para esta página',
    sendCodeText: 'Escaneie para continuar no celular.',
    sent: {
      subject: (name) => `Registros DNS para ${name}`,
      ask: (name, count) =>
        count === 1
          ? `Por favor, adicione este registro DNS para ${name}:`
          : `Por favor, adicione estes registros DNS para ${name}:`,
      fill: ' ',
      instead: 'Ou, se o provedor não tiver este tipo:',
      link: 'Esta página mostra se foram encontrados e, se não, o que está errado:',
    },
    type: 'Tipo',
    help: 'Dúvidas?',
    contact: (name) => (name === undefined ? 'Falar com o suporte' : `Falar com ${name}`),
    askWhom: (name, hasAddress) => `Peça um novo a ${name ?? 'quem enviou o link a você'}${hasAddress ? ': ' : '.'}`,
    ends: {
      unknown: {
        title: 'Este link não funciona',
        text: 'Ele não é reconhecido aqui: o domínio pode ter sido removido.',
      },
      incomplete: {
        title: 'Este link está incompleto',
        text: 'Uma parte está faltando ou foi alterada. Abra o link como você o recebeu ou copie-o inteiro.',
      },
      expired: {
        title: 'Este link expirou',
        text: 'Os links funcionam por tempo limitado. Seus registros e valores não mudam.',
      },
      revoked: { title: 'Este link foi cancelado', text: 'Ele foi substituído ou não deve mais ser usado.' },
      deleted: {
        title: 'O domínio foi removido',
        text: 'Ele não está mais sendo configurado. O que você publicou não causa nenhum problema.',
      },
      disabled: {
        title: 'A configuração está desativada',
        text: 'A conta a que este link pertence está desativada. Fale com quem enviou o link a você; seus registros e valores não mudam.',
      },
      denied: {
        title: 'Esta página não pode ser mostrada aqui',
        text: 'O serviço não responde às requisições desta página.',
      },
    },
  },
  findings: {
    atProvider: (t) => `no provedor ${t.provider}`,
    inZone: (t) => `nas configurações de DNS de ${t.zone}`,
    atRegistrar: (t) => `no registrador de ${t.zone}`,
    inZoneAbove: (t) => `nos registros NS de ${t.zone} na zona superior`,

    entry: (t) => `Nome: ${t.entered}, valor: ${t.value}.`,
    entryUnnamed: (t) => `Nome: deixe em branco, valor: ${t.value}.`,
    entryName: (t) => `Nome: ${t.entered}.`,
    entryNameEmpty: 'Nome: deixe em branco.',
    entryCaa: (t) => `Flags: ${t.flags}, tag: ${t.tag}, valor: ${t.value}.`,

    noRecord: (t) => `Não há registro ${t.type} em ${t.at}.`,
    noAddress: (t) => `${t.at} não tem endereço, então ninguém consegue acessá-lo.`,
    asked: (t) => `Servidores de nomes consultados: ${t.servers}.`,
    otherProviderUnseen: 'Registros em outro provedor não aparecem.',
    zoneOfItsOwn: (t) => `${t.ownZone} é uma zona separada: o que é publicado na zona ${t.zoneAbove} não aparece nela.`,
    atOtherName: (t) => `O registro ${t.type} está em ${t.name}; ele deve ficar em ${t.at}.`,
    zoneAppended: (t) => `O provedor de DNS acrescenta ${t.zone} a cada nome digitado.`,
    textToo: (t) => `O registro TXT está em ${t.otherName}.`,
    notPunycode: (t) =>
      `O registro ${t.type} está em um nome com caracteres especiais. Para o DNS, é um nome diferente de ${t.at}.`,
    textInstead: 'Ali deve haver um registro TXT: nenhum outro registro pode ficar junto de um CNAME.',
    textOptional: 'Com um registro CNAME correto, o domínio não precisa de registro TXT.',
    valuesSwapped: (t) => `O registro TXT em ${t.at} tem o valor do registro CNAME, ${t.first}.`,
    namesSwapped: (t) =>
      `Os nomes dos dois registros estão trocados: o CNAME está em ${t.at} e o TXT em ${t.otherName}.`,
    proofInCname: (t) =>
      `O valor que prova que o domínio é seu está em um registro CNAME em ${t.at}; ele deve ficar em um registro TXT.`,
    targetInOther: (t) =>
      `Em ${t.at}, o valor ${t.expected} está em um registro ${t.removes}; ele deve ficar em um registro CNAME.`,
    nameAbsent: 'Esse nome não existe no DNS.',

    leadsTo: (t) => `${t.at} é um CNAME que aponta para ${t.chain}.`,
    hostUnknown: 'Esse host não existe.',
    hostWithoutAddress: 'Esse host não tem endereço.',
    hasToLead: (t) => `O registro precisa apontar para ${t.expected}.`,
    hasToLeadForCertificate: (t) =>
      `O registro precisa apontar para ${t.expected}, para que este serviço possa obter o certificado.`,
    otherTarget: (t) => `${t.at} é um CNAME que aponta para ${t.host}, que não é o destino deste domínio.`,
    otherTargetWhy:
      'O valor é de outro domínio, é de antes de este ser excluído e adicionado de novo, ou foi digitado errado.',
    valueDoubled: (t) => `O provedor de DNS acrescentou a zona ${t.zone} ao fim do valor.`,
    valueUrl: 'O valor é um endereço da web (URL), não um nome de host.',
    valueAddress: 'O valor é um endereço IP, não um nome de host.',
    valueSpace: 'O valor contém espaços a mais.',
    valueQuotes: 'O valor contém aspas a mais.',
    valueText: 'Esse é o valor do registro TXT.',
    loop: (t) => `Os registros CNAME de ${t.at} formam um loop.`,
    loopNames: (t) => `Cada um aponta para o seguinte: ${t.at} → ${t.chain}.`,
    tooLong: (t) => `${t.at} passa por mais de 8 registros CNAME.`,
    tooLongNames: (t) => `Eles apontam para ${t.chain}.`,
    hostUnread: 'Não foi possível consultar esse host.',
    addressInstead: (t) =>
      `${t.at} tem ${t.plural(t.count, { one: 'o endereço', other: 'os endereços' })} ${t.addresses} em vez de um registro CNAME que aponte para ${t.expected}.`,
    passedOn: (t) =>
      `O registro TXT verifica o domínio. Os visitantes só chegam a ele se esses endereços os encaminharem para ${t.expected}.`,
    conflict: (t) =>
      `${t.at} tem um registro CNAME que aponta para ${t.first} e outros registros junto dele: ${t.values}.`,
    byChance: 'Os visitantes chegam a um ou a outro ao acaso.',
    apexCname:
      'O nome de uma zona não deve ser um CNAME: outros registros desse nome, como os de e-mail, podem parar de funcionar.',
    apexElsewhere: (t) =>
      `${t.at} tem ${t.plural(t.count, { one: `o endereço ${t.addresses}, que não é`, other: `os endereços ${t.addresses}, que não são` })} deste serviço.`,
    visitorsElsewhere: 'Os visitantes chegam a outro servidor, a menos que um proxy seu os encaminhe.',
    wildcardText: (t) => `O registro TXT em ${t.at} vem de um registro curinga (*) e tem o valor ${t.first}.`,
    wildcardAddress: (t) =>
      `${t.at} não tem registro próprio: um registro curinga (*) lhe dá ${t.plural(t.count, { one: 'o endereço', other: 'os endereços' })} ${t.addresses}.`,
    wildcardCname: (t) =>
      `${t.at} não tem registro próprio: um registro curinga (*) faz dele um CNAME que aponta para ${t.chain}.`,
    wildcardAbove: 'Esse registro curinga está em um nome de nível superior.',

    proxiedBy: (t) => `${t.at} passa pelo proxy ${t.proxy}, então o registro não pode ser visto.`,
    proxiedTo: (t) => `${t.at} aponta para um proxy, ${t.host}, então o registro não pode ser visto.`,
    flattened: (t) => `${t.at} tem os endereços de ${t.host}, então aponta para cá.`,
    flattenedUnseen: (t) =>
      `${t.at} tem os endereços de ${t.host} em vez de um registro CNAME (o provedor de DNS faz “flattening”).`,
    onlyText: (t) => `Nesse caso, só um registro TXT pode verificar o domínio, e não há nenhum em ${t.at}.`,
    textVerifies: 'O registro TXT verifica o domínio.',
    textNeeded: 'Só o registro TXT pode verificar o domínio.',
    challengeProxied: (t) =>
      `${t.at} aponta para um proxy (${t.values}), não para ${t.expected}, então este serviço não consegue obter o certificado.`,
    challengeMissing: (t) => `Não há registro CNAME em ${t.at}, então este serviço não consegue obter o certificado.`,
    challengeText: (t) =>
      `No lugar dele há um registro TXT, ${t.first}: nenhum outro registro pode ficar junto de um CNAME.`,

    textHas: (t) => `O registro TXT em ${t.at} tem o valor ${t.first}.`,
    textsHave: (t) =>
      t.plural(t.count, {
        one: `O registro TXT em ${t.at} tem o valor ${t.values}.`,
        other: `Os registros TXT em ${t.at} têm os valores ${t.values}.`,
      }),
    proofMissing: 'Falta o valor que prova que o domínio é seu.',
    othersMayStay: (t) =>
      t.plural(t.count, { one: 'O outro valor pode ficar.', other: 'Os outros valores podem ficar.' }),
    textBeside: 'Há outro texto junto do valor correto.',
    textBefore: 'Há outro texto antes dele, e o token é outro.',
    otherCharacter: (t) => `O caractere ${t.position} é ${t.found} em vez de ${t.wanted}.`,
    moreCharacters: (t) => `Há texto a mais depois do caractere ${t.before}.`,
    fewerCharacters: (t) => `Falta tudo depois do caractere ${t.before}.`,
    textQuotes: 'Ele contém aspas a mais.',
    textCase: 'As letras maiúsculas e minúsculas não conferem.',
    hasSpace: 'Ele contém um espaço a mais.',
    hasTab: 'Ele contém uma tabulação a mais.',
    hasLineBreak: 'Ele contém uma quebra de linha a mais.',
    hasInvisible: (t) => `Ele contém um caractere invisível (${t.found}) a mais.`,
    textEncoded: 'Um programa substituiu caracteres por códigos.',
    textStale: 'Parece o valor de outro domínio, ou o deste antes de ser excluído e adicionado de novo.',
    textOfOther: (t) => `Esse é o valor de ${t.owner}.`,
    beginningMissing: 'Falta o começo.',
    endMissing: 'Falta o fim.',

    notRegistered: (t) =>
      `O domínio ${t.name} não existe: não está registrado, expirou ou não tem servidores de nomes.`,
    expired: (t) =>
      `O domínio ${t.name} parece ter expirado: os servidores de nomes (${t.servers}) são os que o provedor ${t.provider} usa para domínios não renovados ou sem uso.`,
    parked: (t) =>
      `O domínio ${t.name} está estacionado no provedor ${t.provider}: os servidores de nomes (${t.servers}) são de um serviço que mostra anúncios. Não é possível publicar registros ali.`,
    parkedAddresses: (t) => `Todos os nomes dele, também ${t.name}, apontam para ${t.addresses}.`,
    nameserversAre: (t) => `Os servidores de nomes definidos ${t.delegation} são ${t.servers}.`,
    recordIsAt: (t) => `O registro ${t.type} de ${t.otherName} está em ${t.seenServers}.`,
    zoneNames: (t) => `A própria zona indica ${t.seenServers}.`,
    onlySeenAt: (t) => `Só aparece o que está publicado no provedor ${t.provider}.`,
    onlySeenAtFirst: 'Só aparece o que está publicado nos primeiros.',
    listsDiffer: (t) => `Os servidores de nomes definidos ${t.delegation} não são os da própria zona ${t.name}.`,
    onlyDelegated: (t) => `Somente ${t.delegation}: ${t.onlyDelegated}.`,
    onlyInZone: (t) => `Somente na própria zona: ${t.onlyInZone}.`,
    disagree: (t) => `Os servidores de nomes de ${t.zone} divergem sobre o registro ${t.type} em ${t.at}.`,
    differently: (t) =>
      `O servidor de nomes ${t.servers} dá respostas diferentes para o registro ${t.type} em ${t.at}.`,
    answers: (t) => `${t.servers} responde: ${t.answer}.`,
    nothingThere: 'nenhum registro',
    cnameThere: (t) => `um CNAME que aponta para ${t.chain}`,
    cnameToItself: 'um CNAME que aponta para si mesmo',
    bogus: (t) => `O DNSSEC (as assinaturas dos registros DNS) da zona ${t.zone} está com erro.`,
    mostCannotSee: 'A maior parte da Internet não vê os registros da zona.',
    signatureExpired: 'A assinatura expirou.',
    signatureNotYetValid: 'A assinatura ainda não é válida.',
    keyMissing: 'A zona não tem chave que corresponda ao seu registro DS.',
    signatureMissing: 'Falta a assinatura.',
    absenceUnproven: 'Falta a prova de que o nome não existe.',
    dsIs: (t) => `O registro DS da zona é ${t.value}.`,
    noticedAfter: (t) => `Depois da correção, pode levar ${t.lasting} até que a mudança seja percebida.`,
    caaForbids: (t) =>
      `Os registros CAA de ${t.name} proíbem nossa autoridade certificadora de emitir um certificado: ${t.values}.`,
    staleCache: (t) =>
      `Os servidores de nomes têm o registro ${t.type} de ${t.name}, mas os resolvedores públicos podem responder com o que têm em cache até ${t.until}.`,
    held: (t) => `Outra conta deste serviço já tem ${t.name} como verificado.`,
    heldLater: (t) =>
      `Outra conta deste serviço verificou ${t.name} depois que você o adicionou aqui, então seus registros podem estar desatualizados.`,
    heldSilent: (t) =>
      `Nenhum dos servidores de nomes de ${t.zone} responde (${t.servers}). O que os resolvedores têm em cache não basta para trazer o nome para esta conta.`,
    heldRecords: 'Os registros dessa conta ainda estão lá.',
    oneHasIt: (t) => `${t.servers} tem o registro; ${t.seenServers} não tem.`,
    notAllAsked: 'Nem todos os servidores de nomes foram consultados.',

    resolversFail: (t) =>
      `Os resolvedores de DNS deste serviço não dão nenhuma resposta útil, então não foi possível consultar ${t.name}.`,
    zoneUnread: (t) => `Não foi possível consultar a zona ${t.name}.`,
    someUnread: (t) => `Não foi possível consultar todos os servidores de nomes de ${t.name}.`,
    delegationUnread: (t) => `Os servidores de nomes de ${t.name} não foram encontrados.`,
    nameUnread: (t) => `Não foi possível consultar ${t.name}.`,
    othersAnswer: (t) => `Para outros nomes da zona ${t.zone} há respostas.`,
    itsNameservers: 'os respectivos servidores de nomes',
    serverTimeout: (t) => `Sem resposta a tempo: ${t.servers}.`,
    serverFailure: (t) => `Resposta de falha (SERVFAIL): ${t.servers}.`,
    serverRefused: (t) => `Consulta recusada (REFUSED): ${t.servers}.`,
    serverLame: (t) => `Sem a zona (delegação incorreta, “lame delegation”): ${t.servers}.`,
    serverMalformed: (t) => `Respostas que não são DNS válido: ${t.servers}.`,
    serverWithoutAddress: (t) => `Sem endereço IP: ${t.servers}.`,
    serverUnreachable: (t) => `Não é possível alcançar ${t.servers}.`,
    serverPrivate: (t) => `Endereço IP privado ou especial, que nunca é consultado: ${t.servers}.`,
    serverTcp: (t) => `Sem resposta por TCP: ${t.servers}.`,
    serverInconsistent: (t) => `Servidores de nomes diferentes dos demais, segundo ${t.servers}.`,
    parentNameserver: 'um servidor de nomes da zona superior',

    outside: (t) =>
      `Os visitantes de ${t.name} não chegam ao site ${t.plural(t.count, { one: 'no endereço', other: 'nos endereços' })} ${t.addresses}.`,
    outsideOther: 'Outro servidor responde, e ele não encaminha as requisições a este serviço.',
    outsideWrongName: 'Eles recebem um certificado que não é para este nome.',
    outsideExpired: 'Eles recebem um certificado expirado.',
    outsideNotYet: 'Eles recebem um certificado que ainda não é válido.',
    outsideUntrusted: 'Eles recebem um certificado em que os navegadores não confiam.',
    outsidePrivate: 'Não há caminho da Internet até lá.',
    outsideRefused: 'Nada escuta na porta 443.',
    outsideTls: 'Não há handshake TLS na porta 443.',
    outsideNothing: 'O servidor encerra a conexão sem responder.',
    outsideTimeout: 'Não há resposta a tempo.',

    add: (t) => `Adicione um registro ${t.type} ${t.where}.`,
    change: (t) => `Altere o registro ${t.type} ${t.where}.`,
    replace: (t) => `Exclua os registros ${t.removes} deste nome ${t.where} e adicione um registro ${t.type}.`,
    changeName: (t) => `Altere o nome do registro ${t.type} ${t.where}.`,
    zoneIsAdded: (t) => `O provedor acrescenta ${t.zone} automaticamente.`,
    punycode: (t) => `Digite o nome na forma “xn--” ${t.where}.`,
    dotAtEnd: (t) => `Termine com um ponto o valor do registro CNAME ${t.where}.`,
    withoutQuotes: 'Digite o valor sem aspas.',
    exchangeNames: (t) => `Troque os nomes dos dois registros ${t.where}.`,
    forCname: (t) => `Nome do registro CNAME: ${t.entered}.`,
    forText: (t) => `Nome do registro TXT: ${t.entered}.`,
    deleteDelegation: (t) => `Exclua os registros NS de ${t.name} na zona ${t.zone} e adicione ali o registro CNAME.`,
    ifNoProxy: 'Se esses não são os endereços de um proxy seu, substitua-os por um registro CNAME.',
    orAddText: 'Ou, se esses são os endereços de um proxy seu, adicione um registro TXT.',
    orPublishText: 'Ou, se esses são os endereços de um proxy seu, publique o registro TXT correto.',
    doNotProxy: 'Não deixe o provedor passá-lo pelo proxy (Cloudflare: nuvem cinza, “Somente DNS”).',
    keepOne: (t) =>
      `Exclua ${t.where} todos os outros registros CNAME, A e AAAA deste nome e mantenha um único registro CNAME.`,
    deleteCname: 'Exclua o registro CNAME.',
    addAddresses: (t) => `Atribua a ${t.at}, ${t.where}, estes endereços e nenhum outro: ${t.addresses}.`,
    addAlias: (t) =>
      `Adicione ${t.where} o registro chamado ALIAS, ANAME ou “CNAME flattening”, e nenhum registro A ou AAAA.`,
    addTyped: (t) => `Adicione ${t.where} o registro ${t.typeInZone}, e nenhum registro A ou AAAA.`,
    register: (t) => `Registre ou renove ${t.name} em um registrador e defina ali os servidores de nomes.`,
    mistypedLook: 'Se o nome foi digitado errado, consulte o correto.',
    mistypedAdd: 'Se o nome foi digitado errado, exclua este domínio e adicione o correto.',
    renew: (t) =>
      `Renove ${t.name} no registrador. Se os servidores de nomes anteriores não voltarem sozinhos, defina-os ali.`,
    changeNameservers: (t) =>
      `Troque os servidores de nomes ${t.delegation} pelos de um provedor de DNS. Publique os registros nesse provedor.`,
    setNameservers: (t) => `Defina ${t.delegation} estes servidores de nomes: ${t.seenServers}.`,
    orPublishAt: (t) => `Ou publique os registros nos servidores atuais: ${t.servers}.`,
    sameLists: (t) => `Deixe as duas listas iguais: ${t.delegation}, ou nos registros NS da própria zona ${t.name}.`,
    waitMinutes: 'Se você acabou de alterá-lo, espere alguns minutos.',
    askWhyDifferent: 'Caso contrário, pergunte ao provedor de DNS por que as respostas são diferentes.',
    publishSame: 'Caso contrário, publique o mesmo em todos, ou remova os que são diferentes.',
    nothingToDo: 'Você não precisa fazer nada: este serviço consulta de novo automaticamente.',
    mendDsRegistrar: (t) =>
      `No registrador de ${t.zone}, remova o registro DS ou substitua-o pelo que o provedor de DNS mostra.`,
    mendDsAbove: (t) =>
      `Na zona acima de ${t.zone}, remova o registro DS ou substitua-o pelo que o provedor de DNS mostra.`,
    signAgain: (t) => `Peça ao provedor de DNS de ${t.zone} que assine a zona de novo. Ou altere assim o registro DS:`,
    orSignAgain: 'Ou assine a zona de novo.',
    deleteCaa: (t) =>
      `Exclua o registro CAA com a tag ${t.tag}: enquanto as flags forem 128 ou mais, nenhuma autoridade certificadora pode emitir.`,
    recreate: 'Se o nome é seu, exclua o domínio, adicione-o de novo e publique os novos registros.',
    askSilent: (t) =>
      `Pergunte ao provedor de DNS de ${t.zone} por que os servidores de nomes não respondem. O nome muda de conta assim que eles responderem e tiverem só os registros deste domínio.`,
    removeOthers: (t) =>
      `Remova ${t.where} qualquer outro registro TXT em ${t.at}, e aponte ${t.name} somente para ${t.expected}.`,
    moveWithBoth: (t) =>
      `Para trazer o nome para esta conta, publique os dois registros deste domínio e remova o registro TXT da outra conta em ${t.at}.`,
    moveWithText: (t) =>
      `Para trazer o nome para esta conta, publique o registro TXT deste domínio e remova o da outra conta em ${t.at}.`,
    replaceCertificate:
      'No proxy ou balanceador de carga que tem este endereço, substitua o certificado ou deixe as conexões passarem sem alteração até este serviço.',
    renewCertificate:
      'No proxy ou balanceador de carga que tem este endereço, renove o certificado ou deixe as conexões passarem sem alteração até este serviço.',
    orPassOn: (t) =>
      `Ou, se um proxy seu tem este endereço, faça com que ele encaminhe também o que está abaixo de ${t.value}.`,
    openPort: 'Abra a porta 443 nesse servidor.',
    orUnused: 'Ou, se o endereço não é mais usado, faça o seguinte:',
    waitUntilThen: 'Espere até lá.',
    askAboutName: (t) => `Pergunte o motivo ao provedor de DNS de ${t.zone}.`,
    underscore: 'Um firewall pode estar descartando nomes que começam com sublinhado.',
    orAddAgain: (t) => `Ou exclua o registro ${t.type} e adicione-o de novo.`,
    nothingOrRegistrar:
      'Não é preciso mudar nada nos registros. Se o problema continuar, pergunte ao registrador do domínio.',
    askOrRemove: (t) =>
      `Pergunte o motivo ao provedor de DNS de ${t.zone}, ou remova ${t.delegation} estes servidores de nomes: ${t.servers}.`,
    createZone: (t) =>
      `Crie a zona ${t.zone} nesse provedor de DNS, ou defina ${t.delegation} os servidores de nomes do provedor que a tem.`,
    checkZone: (t) =>
      `Verifique a zona ${t.zone} no provedor de DNS, ou pergunte a ele: a zona pode ter um erro ou não estar carregada.`,
    correctNames: (t) => `Corrija os nomes dos servidores de nomes (${t.servers}) ${t.delegation}.`,
    publicAddresses: (t) => `Atribua endereços IP públicos aos servidores de nomes de ${t.zone}, ou use outros.`,
    openTcp: (t) => `Abra a porta TCP 53 em ${t.servers}: respostas grandes demais para UDP são lidas por TCP.`,
    registryTakes:
      'Não é preciso mudar nada: uma mudança de servidores de nomes leva alguns minutos para chegar a todo o registro de domínios.',
    setNameserversOf: (t) => `Defina ${t.delegation} os servidores de nomes de ${t.provider}.`,

    certificateNoAddress: (t) =>
      `${t.name} não tem endereço, então nenhuma autoridade certificadora consegue acessá-lo.`,
    certificateUnread: (t) => `Não foi possível consultar o DNS de ${t.name}. Tentamos de novo automaticamente.`,
    certificatePrivate: (t) => `${t.name} aponta para fora da Internet pública: ${t.addresses}.`,
    certificateUnreachable: (t) => `${t.name} aponta para ${t.addresses}, onde nada responde na porta 80.`,
    certificateOther: (t) =>
      `${t.name} aponta para ${t.addresses}, onde responde outro servidor, ou um proxy que não encaminha as requisições.`,
    certificateCaa: (t) =>
      `Na última tentativa, um registro CAA proibia nossa autoridade certificadora de emitir um certificado para ${t.name}.`,
    certificateNoRecord: (t) => `Falta o registro CNAME para o certificado de ${t.name}.`,
    certificateRecordElsewhere: (t) => `O registro CNAME para o certificado de ${t.name} aponta para outro lugar.`,
    certificateNotSeen: (t) => `A prova para o certificado de ${t.name} ainda não aparece no DNS.`,
    certificateUnproved: (t) => `A autoridade certificadora não conseguiu validar ${t.name}.`,
    certificateRefused: (t) => `A autoridade certificadora não emite um certificado para ${t.name}.`,
    certificateLater: 'O problema é nosso, não dos seus registros. Tentamos de novo automaticamente.',
  },
};
