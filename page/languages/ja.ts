import type { Language } from './en.ts';
import { formatsIn } from './formats.ts';

const { list, time, clock, date, duration: spaced } = formatsIn('ja');

/** Japanese has no space between a number and its unit; Intl writes one. */
const close = (text: string) => text.replace(' ', '');
const duration = (seconds: number) => close(spaced(seconds));

const ROUTING = 'ドメインへのアクセスをサービスにつなぎます。';
const CHALLENGE =
  'サービスが証明書を取得し、更新するために使います。DNS事業者がこのレコードのプロキシを提供している場合は、オフにしてください。';

export const ja: Language = {
  tag: 'ja',
  space: '',
  texts: {
    space: '',
    colon: '：',
    title: (name) => `${name}の接続`,
    titleLive: (name) => `${name}は公開中です`,
    connect: 'ドメインの接続',
    punycode: 'DNSでの表記：',
    loading: 'リンクを開いています…',
    noScript: 'ドメインの状況を表示するには、JavaScript が必要です。',
    unreachable: 'サービスに接続できません。再試行しています…',
    lost: '接続が切れました。再接続しています。その間も確認は続き、データは失われません。',
    crowded: 'このリンクは多くのページで使われています。不要なページを閉じると、このページは自動的に再開します。',
    hints: {
      records: () => '次のレコードを追加してください。名前と値はそのままコピーしてください。',
      add: ({ type }) => `この${type}レコードを追加してください。名前と値はそのままコピーしてください。`,
      change: ({ type, count }) =>
        count > 1
          ? '次のレコードを変更してください。取り消し線の部分を置き換えます。'
          : `${type}レコードの値を変更してください。`,
      rename: ({ type, count }) =>
        count > 1
          ? '次のレコードを変更してください。取り消し線の部分を置き換えます。'
          : `${type}レコードの名前を変更してください。`,
      exchange: () => '2つのレコードの名前を入れ替えてください。',
      replace: ({ type, removes }) =>
        `この名前の${list(removes)}レコードを削除し、すぐにこの${type}レコードを追加してください。`,
      delete: ({ type }) => `${type}レコードを削除してください。`,
      caa: () => 'このCAAレコードを追加してください。すでにあるCAAレコードは残しておいてください。',
    },
    logIn: (zone) =>
      zone === null
        ? 'DNSを管理しているサービスにログインしてください。'
        : `${zone}のDNSを管理しているサービスにログインしてください。`,
    logInAt: (provider) => `${provider}にログインしてください。`,
    alsoAdd: (type) => (type === null ? '足りないレコードも追加してください。' : `${type}レコードも追加してください。`),
    mayKeep: 'このアドレスがご自身のプロキシのものなら、そのまま残してください。TXTレコードだけで足ります。',
    noTxt: 'TXTレコードは必要ありません。',
    withoutWww: (name, www) => `このページで設定するのは${name}だけです。${www}は別に設定します。`,
    comeBack: 'このページに戻ってください。表示は自動的に更新されます。',
    details: '認証局からの応答',
    stages: {
      publish: ({ provider, records }) => ({
        title: `${provider === undefined ? 'DNS' : provider}に${records}つのレコードを追加してください`,
        text: '',
      }),
      one_found: ({ found, lacking }) => ({
        title: `${found}つのレコードが見つかりました。残りは${lacking}つです`,
        text: '残りのレコードはまだ見つかりません。DNS事業者側で反映されるまで、1〜2分かかることがあります。',
      }),
      unseen: () => ({
        title: '現在、DNSを確認できません',
        text: '原因はサービス側にあり、操作は不要です。自動で再確認します。下のレコードは変わらないため、その間に追加できます。',
      }),
      fix: ({ missing, wrong }) => ({
        title: `${wrong > 1 ? '2か所' : '1か所'}の変更${missing === 0 ? '' : `と、${missing}つの追加`}が必要です`,
        text: '',
      }),
      confirming: ({ needsCaa }) => ({
        title: needsCaa ? '見つかりました。あとはCAAレコードだけです' : '見つかりました。最終確認中です',
        text: needsCaa
          ? 'すべてのネームサーバーにもう一度問い合わせています。その間に、証明書に必要なCAAレコードを追加してください。'
          : '必要なものは揃っています。すべてのネームサーバーにもう一度問い合わせています。操作は不要です。',
      }),
      preparing: () => ({
        title: 'まず証明書を取得しています',
        text: 'その間、サイトは現在のサーバーで動き続けます。レコードはまだ変更しないでください。変更するタイミングはこのページでお知らせします。',
      }),
      ready: () => ({
        title: '証明書の準備ができました。このレコードを変更してください',
        text: '現在のサイトにつながるレコードを置き換えてください。訪問者への影響はありません。以前のサーバーは1時間ほど動かしておいてください。まだそこに届くアクセスがあります。',
      }),
      failed: () => ({
        title: '確認を終了しました',
        text: '下のレコードを見直してから、確認をやり直してください。値は変わりません。',
      }),
      certificate: () => ({
        title: 'レコードが見つかりました。次は証明書です',
        text: '認証局が証明書を発行しています。通常は1分もかかりません。操作は不要です。',
      }),
      certificate_blocked: () => ({ title: '証明書の発行には、もう1つ対応が必要です', text: '' }),
      certificate_refused: ({ platform }) => ({
        title: '原因を調べています',
        text: `ドメインの証明書が発行されませんでした。変更は不要です。原因は${platform ?? 'サービス'}側で把握できます。自動で再試行します。`,
      }),
      live: () => ({
        title: 'サイトが公開されました',
        text: 'HTTPSで表示されます。このページは閉じてかまいません。1日に1回確認しますので、レコードはそのままにしておいてください。',
      }),
      live_at_risk: ({ isGone }) => ({
        title: isGone
          ? '訪問者がサイトにアクセスできません。レコードが見つかりません'
          : '公開中ですが、設定が変わっています',
        text: '',
      }),
    },
    progress: '進行状況',
    steps: { dns: 'DNSレコード', certificate: '証明書', live: '公開' },
    stepStates: { done: '完了', current: '進行中', problem: '要確認', waiting: '待機中' },
    yourTurn: '操作が必要',
    movingFirst: 'この名前でサイトを公開中ですか？変更する前に、下の「サイトを止めずに移行する」をお読みください。',
    movingTitle: 'サイトを止めずに移行する',
    movingText:
      'この名前でサイトを公開中の場合は、TXTレコードとこのレコードだけを追加してください。他のレコードはまだ変更しないでください。証明書の準備ができたら、変更するレコードをこのページでお知らせします。',
    movingPurpose:
      '移行の前に証明書を取得するために使います。DNS事業者がこのレコードのプロキシを提供している場合は、オフにしてください。',
    records: 'レコード',
    otherRecords: 'その他のレコード',
    recordStates: {
      unknown: '確認中…',
      found: '見つかりました',
      hidden: 'DNS事業者により非表示',
      missing: 'まだ見つかりません',
      misplaced: '名前が違います',
      gone: 'なくなっています',
      wrong: '変更が必要',
      unreadable: '参照できません',
      not_needed: '現在は不要',
      later: 'まだ変更しない',
    },
    purposes: {
      routing: { yes: ROUTING, no: ROUTING, alternative: ROUTING },
      ownership: {
        yes: 'ドメインの所有者であることを示します。',
        no: 'ドメインの所有者であることを示します。これはもう1つのレコードで検証済みです。',
        alternative: 'もう1つのレコードがDNS事業者によって隠れる場合でも、ドメインの所有者であることを示します。',
      },
      challenge: { yes: CHALLENGE, no: CHALLENGE, alternative: CHALLENGE },
    },
    recordTitle: (type) => `${type}レコード`,
    alias: 'DNS事業者によってはALIAS、ANAME、CNAMEフラット化などと呼ばれます。',
    noAlias: () =>
      'どれも使えない場合は、代わりに同じ名前で次のレコードを追加し、他のAレコードとAAAAレコードは置かないでください。',
    caaState: '追加が必要',
    caaPurpose:
      'このドメインでは他の認証局だけが許可されています。このレコードにより、このサービスが使う認証局も許可されます。',
    flags: 'フラグ',
    tag: 'タグ',
    name: '名前',
    value: '値',
    emptyName: '空欄のまま',
    fullName: '完全なドメイン名',
    fullNameHint: '多くのDNS事業者では、ゾーンを除いて入力します。ゾーン自体の場合は「@」または空欄です。',
    nameUnknown: '入力は少しお待ちください。お使いのDNS事業者での書き方を調べています。',
    instead: '現在',
    replacedBy: '変更後',
    ttl: 'TTLはそのままにしてください。',
    copy: 'コピー',
    copied: 'コピー済み',
    copyWhat: (what, type) => `：${type}レコードの${what}`,
    copyDone: 'クリップボードにコピーしました。',
    copyFailed: 'コピーできませんでした。文字を選択して手動でコピーしてください。',
    seenNow: '現在のDNS',
    seen: {
      matched: '正しい値',
      leads_here: 'このサービスにつながります',
      other: '検出された値',
      absent: 'なし',
      unreadable: '応答なし',
    },
    at: '応答元：',
    panel: (provider) => `${provider}を開く`,
    opensInNewTab: '（新しいタブで開きます）',
    dnsOnly: '「プロキシステータス」を「DNSのみ」（DNS only）にしてください。',
    panels: {
      cloudflare: (zone) => `${zone} › DNS › レコード`,
      route53: (zone) => `ホストゾーン › ${zone}`,
      azure: (zone) => `DNSゾーン › ${zone} › レコードセット`,
    },
    whereUnknown: (nameservers) =>
      `多くの場合、それはドメインを取得した事業者です。${nameservers.length === 0 ? '' : `ネームサーバーは${list(nameservers)}です。`}「DNSレコード」や「DNS設定」を探してください。`,
    whereShort: (zone) => `管理画面の場所：${zone} › DNSレコード`,
    connectAt: (provider) => `${provider}で接続する`,
    connectHow: (host) => `${host}にログインして同意すると、DNS事業者がレコードを追加します。`,
    connectDone: 'DNS事業者の画面から戻りました。レコードを確認しています。1分ほどかかることがあります。',
    connectRefused:
      'DNS事業者はレコードを追加しませんでした。失われたものはありません。もう一度試すか、下のレコードをご自身で追加してください。',
    checkNow: '今すぐ確認',
    tryAgain: '確認をやり直す',
    checking: '確認しています…',
    checkAgain: (seconds) => `${duration(seconds)}後に再確認できます`,
    asked: {
      same: (at) => `${clock(at)}に確認しましたが、まだ変化はありません。`,
      changed: (at) => `${clock(at)}に確認しました。`,
      busy: (at) =>
        `${clock(at)}の確認は、同時に多くの確認があったため実行できませんでした。ボタンの秒読みが終わるまでお待ちください。`,
      failed: (at) => `${clock(at)}の確認は、接続できないため実行できませんでした。もう一度お試しください。`,
    },
    nextCheck: (seconds) => `次の確認は${duration(seconds)}後です。`,
    checkingSoon: 'まもなく確認します。',
    until: (at) => `${time(at)}まで確認を続けます。`,
    nextTry: (at, seconds) =>
      seconds > 0
        ? `次の試行は${seconds > 5400 ? time(at) : `${duration(seconds)}後`}です。`
        : 'まもなく再試行します。',
    nextTrySees: 'それまでの変更も反映されます。',
    visit: (name) => `${name}を開く`,
    validUntil: (at) => `証明書の有効期限は${date(at)}で、期限前に自動で更新されます。`,
    sendOn: 'DNSの担当者が別にいる場合は、レコードを送れます',
    sendOnWarning: 'このリンクがあれば、誰でもこのページを開けます。信頼できる相手にだけ送ってください。',
    sendOnWithoutLink:
      'ここにはこのページへのリンクがありません。レコードをコピーして、メッセージに貼り付けてください。',
    sendByMail: 'レコードをメールで送る',
    sendCopy: 'すべてコピー',
    sendCopyWhat: '：レコードのテキスト',
    sendCode: 'このページへのリンクのQRコード',
    sendCodeText: '読み取ると、スマートフォンで続けられます。',
    sent: {
      subject: (name) => `${name}のDNSレコード`,
      ask: (name) => `${name}に、次のDNSレコードの追加をお願いします。`,
      fill: '　',
      instead: 'この種類のレコードが使えない場合は、代わりに次のレコードを追加してください。',
      link: 'レコードが見つかったかどうかを、次のページで確認できます。見つからない場合は、その原因も表示されます。',
    },
    type: '種類',
    help: 'ご不明な点がありますか？',
    contact: (name) => (name === undefined ? 'サポートに問い合わせる' : `${name}に問い合わせる`),
    askWhom: (name, hasAddress) =>
      `新しいリンクは、${name ?? 'リンクの送り主'}にご依頼ください${hasAddress ? '：' : '。'}`,
    ends: {
      unknown: {
        title: 'このリンクは使えません',
        text: 'ここには登録されていないリンクです。ドメインが削除された可能性があります。',
      },
      incomplete: {
        title: 'リンクが不完全です',
        text: '一部が欠けているか、変更されています。届いたリンクをそのまま開くか、全体をコピーしてください。',
      },
      expired: {
        title: 'リンクの有効期限が切れています',
        text: 'リンクには有効期限があります。レコードと値は変わりません。',
      },
      revoked: {
        title: 'このリンクは無効になりました',
        text: '別のリンクに置き換えられたか、不要になったリンクです。',
      },
      deleted: {
        title: 'ドメインが削除されました',
        text: 'このドメインの設定は終了しました。追加したレコードが残っていても問題はありません。',
      },
      disabled: {
        title: '設定は停止されています',
        text: 'このリンクのアカウントは無効になっています。リンクの送り主にお問い合わせください。レコードと値は変わりません。',
      },
      denied: {
        title: 'ここではこのページを表示できません',
        text: 'サービスは、このページからのリクエストに応答しません。',
      },
    },
  },
  findings: {
    atProvider: (t) => `${t.provider}で`,
    inZone: (t) => `${t.zone}のDNS設定で`,
    atRegistrar: (t) => `${t.zone}のレジストラで`,
    inZoneAbove: (t) => `上位ゾーンにある${t.zone}のNSレコードで`,

    entry: (t) => `名前：${t.entered}、値：${t.value}。`,
    entryUnnamed: (t) => `名前：空欄のまま、値：${t.value}。`,
    entryName: (t) => `名前：${t.entered}。`,
    entryNameEmpty: '名前：空欄のまま。',
    entryCaa: (t) => `フラグ：${t.flags}、タグ：${t.tag}、値：${t.value}。`,

    noRecord: (t) => `${t.at}に${t.type}レコードがありません。`,
    noAddress: (t) => `${t.at}にはIPアドレスがないため、誰もアクセスできません。`,
    asked: (t) => `問い合わせ先のネームサーバー：${t.servers}。`,
    otherProviderUnseen: '別のDNS事業者に登録したレコードは参照されません。',
    zoneOfItsOwn: (t) =>
      `${t.ownZone}は独立したゾーンです。ゾーン${t.zoneAbove}に登録した内容はそこでは参照されません。`,
    atOtherName: (t) => `${t.type}レコードが${t.name}にあります。正しい場所は${t.at}です。`,
    zoneAppended: (t) => `DNS事業者は、入力された名前の末尾に${t.zone}を自動で付け加えます。`,
    textToo: (t) => `TXTレコードは${t.otherName}にあります。`,
    notPunycode: (t) =>
      `${t.type}レコードの名前に日本語などの文字（ASCII以外）が含まれています。DNSでは${t.at}とは別の名前になります。`,
    textInstead: '代わりにTXTレコードが必要です。CNAMEと同じ名前に他のレコードは置けません。',
    textOptional: 'CNAMEレコードが正しければ、TXTレコードは不要です。',
    valuesSwapped: (t) => `${t.at}のTXTレコードに、CNAMEレコードの値${t.first}が入っています。`,
    namesSwapped: (t) =>
      `2つのレコードの名前が入れ替わっています。CNAMEレコードが${t.at}に、TXTレコードが${t.otherName}にあります。`,
    proofInCname: (t) =>
      `所有者であることを示す値が${t.at}のCNAMEレコードに入っています。TXTレコードに入れてください。`,
    targetInOther: (t) =>
      `${t.at}では値${t.expected}が${t.removes}レコードに入っています。CNAMEレコードに入れてください。`,
    nameAbsent: 'その名前はDNSに存在しません。',

    leadsTo: (t) => `${t.at}は${t.chain}へのCNAMEです。`,
    hostUnknown: 'そのホストは存在しません。',
    hostWithoutAddress: 'そのホストにはIPアドレスがありません。',
    hasToLead: (t) => `レコードは${t.expected}を指す必要があります。`,
    hasToLeadForCertificate: (t) => `証明書を取得するには、レコードが${t.expected}を指す必要があります。`,
    otherTarget: (t) => `${t.at}は${t.host}へのCNAMEですが、これはこのドメインの接続先ではありません。`,
    otherTargetWhy: '別のドメインの値か、このドメインを削除して追加し直す前の値か、入力ミスです。',
    valueDoubled: (t) => `DNS事業者が値の末尾にゾーン${t.zone}を付け加えています。`,
    valueUrl: '値がホスト名ではなく、ウェブアドレス（URL）になっています。',
    valueAddress: '値がホスト名ではなく、IPアドレスになっています。',
    valueSpace: '値に余分な空白が含まれています。',
    valueQuotes: '値に余分な引用符が含まれています。',
    valueText: 'これはTXTレコードの値です。',
    loop: (t) => `${t.at}のCNAMEレコードが循環しています。`,
    loopNames: (t) => `順にたどると元に戻ります：${t.at} → ${t.chain}。`,
    tooLong: (t) => `${t.at}は8個を超えるCNAMEレコードを経由しています。`,
    tooLongNames: (t) => `たどる先：${t.chain}。`,
    hostUnread: 'そのホストを参照できませんでした。',
    addressInstead: (t) =>
      `${t.at}には、${t.expected}へのCNAMEレコードではなく、アドレス${t.addresses}が設定されています。`,
    passedOn: (t) =>
      `TXTレコードでドメインの所有権を検証できます。訪問者がアクセスできるのは、これらのアドレスが${t.expected}へ転送する場合だけです。`,
    conflict: (t) => `${t.at}には${t.first}へのCNAMEレコードのほかに、別のレコードがあります：${t.values}。`,
    byChance: '訪問者がどちらに接続されるかは一定しません。',
    apexCname:
      'ゾーンの名前そのものをCNAMEにすることはできません。メール用など、同じ名前の他のレコードが機能しなくなるおそれがあります。',
    apexElsewhere: (t) => `${t.at}のアドレス${t.addresses}は、このサービスのものではありません。`,
    visitorsElsewhere: 'お使いのプロキシが転送しない限り、訪問者は別のサーバーに接続されます。',
    wildcardText: (t) => `${t.at}のTXTレコードはワイルドカードレコード（*）によるもので、値は${t.first}です。`,
    wildcardAddress: (t) =>
      `${t.at}には専用のレコードがなく、ワイルドカードレコード（*）によりアドレス${t.addresses}が返されます。`,
    wildcardCname: (t) =>
      `${t.at}には専用のレコードがなく、ワイルドカードレコード（*）により${t.chain}へのCNAMEになっています。`,
    wildcardAbove: 'このワイルドカードレコードは、上位の名前にあります。',

    proxiedBy: (t) => `${t.at}は${t.proxy}のプロキシを経由しているため、レコードが見えません。`,
    proxiedTo: (t) => `${t.at}はプロキシ${t.host}につながるため、レコードが見えません。`,
    flattened: (t) => `${t.at}には${t.host}のアドレスが設定されており、このサービスにつながります。`,
    flattenedUnseen: (t) =>
      `${t.at}では、CNAMEレコードの代わりに${t.host}のアドレスが返されます（DNS事業者によるフラット化）。`,
    onlyText: (t) => `この場合、ドメインの所有権を検証できるのはTXTレコードだけですが、${t.at}にはありません。`,
    textVerifies: 'TXTレコードでドメインの所有権を検証できます。',
    textNeeded: 'ドメインの所有権を検証できるのはTXTレコードだけです。',
    challengeProxied: (t) =>
      `${t.at}が${t.expected}ではなくプロキシ（${t.values}）につながるため、証明書を取得できません。`,
    challengeMissing: (t) => `${t.at}にCNAMEレコードがないため、証明書を取得できません。`,
    challengeText: (t) => `代わりにTXTレコード${t.first}があります。CNAMEと同じ名前に他のレコードは置けません。`,

    textHas: (t) => `${t.at}のTXTレコードの値は${t.first}です。`,
    textsHave: (t) => `${t.at}のTXTレコードの値は${t.values}です。`,
    proofMissing: '所有者であることを示す値がありません。',
    othersMayStay: '他の値はそのままでかまいません。',
    textBeside: '正しい値のほかに余分な文字があります。',
    textBefore: '値の前に余分な文字があり、トークンも異なります。',
    otherCharacter: (t) => `${t.position}文字目が${t.wanted}ではなく${t.found}になっています。`,
    moreCharacters: (t) => `${t.before}文字目のあとに余分な文字があります。`,
    fewerCharacters: (t) => `${t.before}文字目より後ろが欠けています。`,
    textQuotes: '値に余分な引用符が含まれています。',
    textCase: '大文字と小文字が一致していません。',
    hasSpace: '値に余分な空白が含まれています。',
    hasTab: '値に余分なタブが含まれています。',
    hasLineBreak: '値に余分な改行が含まれています。',
    hasInvisible: (t) => `値に目に見えない余分な文字（${t.found}）が含まれています。`,
    textEncoded: '値の一部の文字が、プログラムによってエスケープ表記に置き換えられています。',
    textStale: '別のドメインの値か、このドメインを削除して追加し直す前の値のようです。',
    textOfOther: (t) => `これは${t.owner}の値です。`,
    beginningMissing: '先頭が欠けています。',
    endMissing: '末尾が欠けています。',

    notRegistered: (t) => `ドメイン${t.name}は存在しません。未登録か、期限切れか、ネームサーバーが設定されていません。`,
    expired: (t) =>
      `${t.name}の登録は期限切れのようです。ネームサーバー（${t.servers}）は、${t.provider}が未更新または未使用のドメインに使うものです。`,
    parked: (t) =>
      `ドメイン${t.name}は${t.provider}でパーキングされています。ネームサーバー（${t.servers}）は広告を表示するサービスのもので、レコードを登録できません。`,
    parkedAddresses: (t) => `${t.name}を含むすべての名前が${t.addresses}につながります。`,
    nameserversAre: (t) => `${t.delegation}設定されているネームサーバーは${t.servers}です。`,
    recordIsAt: (t) => `${t.otherName}の${t.type}レコードは${t.seenServers}にあります。`,
    zoneNames: (t) => `ゾーン自体では${t.seenServers}が指定されています。`,
    onlySeenAt: (t) => `参照されるのは${t.provider}に登録した内容だけです。`,
    onlySeenAtFirst: '参照されるのは、先に挙げたネームサーバーに登録した内容だけです。',
    listsDiffer: (t) => `${t.delegation}設定されているネームサーバーが、ゾーン${t.name}自体の記載と異なります。`,
    onlyDelegated: (t) => `${t.delegation}のみ設定：${t.onlyDelegated}。`,
    onlyInZone: (t) => `ゾーン自体のみに記載：${t.onlyInZone}。`,
    disagree: (t) => `${t.zone}のネームサーバーの間で、${t.at}の${t.type}レコードが一致していません。`,
    differently: (t) => `ネームサーバー${t.servers}が、${t.at}の${t.type}レコードについて異なる応答を返します。`,
    answers: (t) => `${t.servers}の応答：${t.answer}。`,
    nothingThere: 'レコードなし',
    cnameThere: (t) => `${t.chain}へのCNAME`,
    cnameToItself: '自分自身へのCNAME',
    bogus: (t) => `ゾーン${t.zone}のDNSSEC（DNSレコードの署名）が正しくありません。`,
    mostCannotSee: 'インターネットの大部分からレコードが見えません。',
    signatureExpired: '署名の有効期限が切れています。',
    signatureNotYetValid: '署名がまだ有効になっていません。',
    keyMissing: 'DSレコードに対応する鍵がゾーンにありません。',
    signatureMissing: '署名がありません。',
    absenceUnproven: '名前が存在しないことの証明がありません。',
    dsIs: (t) => `DSレコードは${t.value}です。`,
    noticedAfter: (t) => `修正が反映されるまでに${close(t.lasting)}かかることがあります。`,
    caaForbids: (t) =>
      `${t.name}のCAAレコード（${t.values}）により、このサービスが使う認証局は証明書を発行できません。`,
    staleCache: (t) =>
      `ネームサーバーには${t.name}の${t.type}レコードがありますが、公開リゾルバーは${t.until}までキャッシュから応答することがあります。`,
    held: (t) => `${t.name}は、このサービスの別のアカウントで検証済みです。`,
    heldLater: (t) =>
      `${t.name}をここに追加した後で、このサービスの別のアカウントが所有権を検証しました。そのため、現在のレコードは古い可能性があります。`,
    heldSilent: (t) =>
      `${t.zone}のネームサーバー（${t.servers}）がどれも応答しません。リゾルバーのキャッシュの内容だけでは、名前をこのアカウントに移せません。`,
    heldRecords: 'そのアカウントのレコードがまだ残っています。',
    oneHasIt: (t) => `${t.servers}にはありますが、${t.seenServers}にはありません。`,
    notAllAsked: '一部のネームサーバーには問い合わせていません。',

    resolversFail: (t) => `このサービスのDNSリゾルバーから有効な応答がなく、${t.name}を参照できませんでした。`,
    zoneUnread: (t) => `ゾーン${t.name}を参照できませんでした。`,
    someUnread: (t) => `${t.name}のネームサーバーの一部を参照できませんでした。`,
    delegationUnread: (t) => `${t.name}のネームサーバーが見つかりませんでした。`,
    nameUnread: (t) => `${t.name}を参照できませんでした。`,
    othersAnswer: (t) => `ゾーン${t.zone}の他の名前については応答があります。`,
    itsNameservers: 'そのネームサーバー',
    serverTimeout: (t) => `${t.servers}から時間内に応答がありません。`,
    serverFailure: (t) => `${t.servers}がエラー（SERVFAIL）を返します。`,
    serverRefused: (t) => `${t.servers}が応答を拒否します（REFUSED）。`,
    serverLame: (t) => `${t.servers}はこのゾーンを担当していません（lame delegation）。`,
    serverMalformed: (t) => `${t.servers}の応答がDNSとして正しくありません。`,
    serverWithoutAddress: (t) => `${t.servers}にIPアドレスがありません。`,
    serverUnreachable: (t) => `${t.servers}に接続できません。`,
    serverPrivate: (t) =>
      `${t.servers}のIPアドレスはプライベートまたは特殊用途のもので、問い合わせの対象になりません。`,
    serverTcp: (t) => `${t.servers}がTCPで応答しません。`,
    serverInconsistent: (t) => `${t.servers}が、他とは異なるネームサーバーを示しています。`,
    parentNameserver: '上位ゾーンのネームサーバー',

    outside: (t) => `${t.name}の訪問者は、アドレス${t.addresses}ではサイトにアクセスできません。`,
    outsideOther: '別のサーバーが応答し、このサービスにリクエストを転送していません。',
    outsideWrongName: 'この名前のものではない証明書が返されます。',
    outsideExpired: '期限切れの証明書が返されます。',
    outsideNotYet: 'まだ有効になっていない証明書が返されます。',
    outsideUntrusted: 'ブラウザーが信頼しない証明書が返されます。',
    outsidePrivate: 'インターネットから到達できません。',
    outsideRefused: 'ポート443で接続を受け付けていません。',
    outsideTls: 'ポート443でTLSハンドシェイクができません。',
    outsideNothing: 'サーバーが応答せずに接続を切ります。',
    outsideTimeout: '時間内に応答がありません。',

    add: (t) => `${t.where}、${t.type}レコードを追加してください。`,
    change: (t) => `${t.where}、${t.type}レコードを変更してください。`,
    replace: (t) => `${t.where}、この名前の${t.removes}レコードを削除し、${t.type}レコードを追加してください。`,
    changeName: (t) => `${t.where}、${t.type}レコードの名前を変更してください。`,
    zoneIsAdded: (t) => `${t.zone}は自動で付け加えられます。`,
    punycode: (t) => `${t.where}、名前を「xn--」で始まる形で入力してください。`,
    dotAtEnd: (t) => `${t.where}、CNAMEレコードの値の末尾にドット（.）を付けてください。`,
    withoutQuotes: '値は引用符なしで入力してください。',
    exchangeNames: (t) => `${t.where}、2つのレコードの名前を入れ替えてください。`,
    forCname: (t) => `CNAMEレコードの名前：${t.entered}。`,
    forText: (t) => `TXTレコードの名前：${t.entered}。`,
    deleteDelegation: (t) =>
      `ゾーン${t.zone}にある${t.name}のNSレコードを削除し、そこにCNAMEレコードを追加してください。`,
    ifNoProxy: 'お使いのプロキシのアドレスでない場合は、CNAMEレコードに置き換えてください。',
    orAddText: 'お使いのプロキシのアドレスの場合は、代わりにTXTレコードを追加してください。',
    orPublishText: 'お使いのプロキシのアドレスの場合は、代わりに正しいTXTレコードを登録してください。',
    doNotProxy: 'このレコードはプロキシを経由させないでください（Cloudflareでは灰色の雲「DNSのみ」）。',
    keepOne: (t) =>
      `${t.where}、この名前のCNAMEレコードを1つだけ残し、他のCNAME、A、AAAAレコードをすべて削除してください。`,
    deleteCname: 'CNAMEレコードを削除してください。',
    addAddresses: (t) => `${t.where}、${t.at}に次のアドレスだけを設定してください：${t.addresses}。`,
    addAlias: (t) =>
      `${t.where}、ALIAS、ANAME、CNAMEフラット化などと呼ばれるレコードを追加し、AレコードとAAAAレコードは置かないでください。`,
    addTyped: (t) => `${t.where}、${t.typeInZone}レコードを追加し、AレコードとAAAAレコードは置かないでください。`,
    register: (t) => `レジストラで${t.name}を登録または更新し、ネームサーバーを設定してください。`,
    mistypedLook: '名前の入力ミスの場合は、正しい名前を確認してください。',
    mistypedAdd: '名前の入力ミスの場合は、このドメインを削除し、正しいドメインを追加してください。',
    renew: (t) =>
      `レジストラで${t.name}を更新してください。以前のネームサーバーが自動で戻らない場合は、そこで設定してください。`,
    changeNameservers: (t) =>
      `${t.delegation}、ネームサーバーをDNS事業者のものに変更し、レコードはその事業者に登録してください。`,
    setNameservers: (t) => `${t.delegation}、ネームサーバーを次のとおり設定してください：${t.seenServers}。`,
    orPublishAt: (t) => `または、次の場所にレコードを登録してください：${t.servers}。`,
    sameLists: (t) =>
      `2つの一覧を同じにしてください。${t.delegation}、またはゾーン${t.name}自体のNSレコードで変更できます。`,
    waitMinutes: '変更した直後の場合は、数分お待ちください。',
    askWhyDifferent: 'そうでない場合は、応答が異なる理由をDNS事業者に問い合わせてください。',
    publishSame: 'そうでない場合は、すべてに同じ内容を登録するか、異なるものを外してください。',
    nothingToDo: '操作は不要です。このサービスが自動で再確認します。',
    mendDsRegistrar: (t) => `${t.zone}のレジストラでDSレコードを削除するか、DNS事業者が示すものに置き換えてください。`,
    mendDsAbove: (t) => `${t.zone}の上位ゾーンでDSレコードを削除するか、DNS事業者が示すものに置き換えてください。`,
    signAgain: (t) =>
      `${t.zone}のDNS事業者に、ゾーンの再署名を依頼してください。または、DSレコードを変更してください。`,
    orSignAgain: 'または、ゾーンを署名し直してください。',
    deleteCaa: (t) =>
      `タグが${t.tag}のCAAレコードを削除してください。フラグが128以上である限り、どの認証局も証明書を発行できません。`,
    recreate: 'ご自身の名前である場合は、ドメインを削除して追加し直し、新しいレコードを登録してください。',
    askSilent: (t) =>
      `${t.zone}のDNS事業者に、ネームサーバーが応答しない理由を問い合わせてください。応答が戻り、このドメインのレコードだけがある状態になると、名前が移ります。`,
    removeOthers: (t) =>
      `${t.where}、${t.at}にある他のTXTレコードをすべて削除し、${t.name}を${t.expected}だけに向けてください。`,
    moveWithBoth: (t) =>
      `このアカウントに名前を移すには、このドメインの2つのレコードを登録し、${t.at}にある別のアカウントのTXTレコードを削除してください。`,
    moveWithText: (t) =>
      `このアカウントに名前を移すには、このドメインのTXTレコードを登録し、${t.at}にある別のアカウントのものを削除してください。`,
    replaceCertificate:
      'このアドレスのプロキシまたはロードバランサーで証明書を差し替えるか、接続をそのままこのサービスに通してください。',
    renewCertificate:
      'このアドレスのプロキシまたはロードバランサーで証明書を更新するか、接続をそのままこのサービスに通してください。',
    orPassOn: (t) =>
      `お使いのプロキシのアドレスの場合は、代わりに${t.value}以下へのリクエストも転送するよう設定してください。`,
    openPort: 'そのサーバーでポート443を開いてください。',
    orUnused: 'または、このアドレスをもう使っていない場合は、次のとおりにしてください。',
    waitUntilThen: 'それまでお待ちください。',
    askAboutName: (t) => `${t.zone}のDNS事業者に理由を問い合わせてください。`,
    underscore: 'アンダースコアで始まる名前をファイアウォールが遮断している可能性があります。',
    orAddAgain: (t) => `または、${t.type}レコードを削除して追加し直してください。`,
    nothingOrRegistrar:
      'レコードを変更する必要はありません。問題が続く場合は、ドメインのレジストラに問い合わせてください。',
    askOrRemove: (t) =>
      `${t.zone}のDNS事業者に理由を問い合わせるか、${t.delegation}、次のネームサーバーを外してください：${t.servers}。`,
    createZone: (t) =>
      `そのDNS事業者でゾーン${t.zone}を作成するか、${t.delegation}、ゾーンを持つDNS事業者のネームサーバーを設定してください。`,
    checkZone: (t) =>
      `DNS事業者でゾーン${t.zone}を確認するか、DNS事業者に問い合わせてください。ゾーンに誤りがあるか、読み込まれていない可能性があります。`,
    correctNames: (t) => `${t.delegation}、ネームサーバーの名前（${t.servers}）を修正してください。`,
    publicAddresses: (t) =>
      `${t.zone}のネームサーバーにグローバルIPアドレスを設定するか、別のネームサーバーを使ってください。`,
    openTcp: (t) => `${t.servers}でTCPポート53を開いてください。UDPに収まらない応答はTCPで受け取ります。`,
    registryTakes: '変更は不要です。ネームサーバーの変更がレジストリ全体に反映されるまで、数分かかります。',
    setNameserversOf: (t) => `${t.delegation}、ネームサーバーを${t.provider}のものに設定してください。`,

    certificateNoAddress: (t) => `${t.name}にIPアドレスがないため、認証局がアクセスできません。`,
    certificateUnread: (t) => `${t.name}のDNSを参照できませんでした。自動で再試行します。`,
    certificatePrivate: (t) => `${t.name}は${t.addresses}につながりますが、これはグローバルIPアドレスではありません。`,
    certificateUnreachable: (t) => `${t.name}は${t.addresses}につながりますが、ポート80で応答がありません。`,
    certificateOther: (t) =>
      `${t.name}は${t.addresses}につながりますが、別のサーバー、またはリクエストを転送しないプロキシが応答します。`,
    certificateCaa: (t) =>
      `前回の試行では、CAAレコードにより、このサービスが使う認証局は${t.name}の証明書を発行できませんでした。`,
    certificateNoRecord: (t) => `${t.name}の証明書に必要なCNAMEレコードがありません。`,
    certificateRecordElsewhere: (t) => `${t.name}の証明書に必要なCNAMEレコードが別の場所を指しています。`,
    certificateNotSeen: (t) => `${t.name}の証明書に必要な検証用の値が、まだDNSで見つかりません。`,
    certificateUnproved: (t) => `認証局が${t.name}を検証できませんでした。`,
    certificateRefused: (t) => `認証局は${t.name}の証明書を発行しません。`,
    certificateLater: '原因はサービス側にあり、レコードに問題はありません。自動で再試行します。',
  },
};
