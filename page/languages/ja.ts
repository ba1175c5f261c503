import type { Language } from './en.ts';
import { formatsIn } from './formats.ts';

const { list, time, clock, date, duration } = formatsIn('ja');

const ROUTING = 'ドメインの訪問者をサービスにつなぎます。';
const CHALLENGE =
  'サービスが証明書を取得し、更新するために使います。DNS事業者の画面でプロキシを選べる場合は、オフにしてください。';

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
    lost: '接続が切れました。再接続しています…その間も確認は続き、内容は失われません。',
    crowded: 'このリンクが多くの画面で開かれています。不要な画面を閉じると、こちらは自動的に再開します。',
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
        `この名前の${list(removes)}レコードを削除してから、この${type}レコードを追加してください。`,
      delete: ({ type }) => `${type}レコードを削除してください。`,
      caa: () => 'このCAAレコードを追加してください。すでにあるCAAレコードは残しておいてください。',
    },
    logIn: (zone) =>
      zone === null
        ? 'DNSを管理しているサービスにログインします。'
        : `${zone}のDNSを管理しているサービスにログインします。`,
    logInAt: (provider) => `${provider}にログインします。`,
    comeBack: 'この画面に戻ります。表示は自動的に更新されます。',
    details: '認証局からの応答',
    stages: {
      publish: ({ provider, records }) => ({
        title: `${provider === undefined ? 'DNS' : provider}に${records}つのレコードを追加してください`,
        text: '',
      }),
      one_found: ({ found, lacking }) => ({
        title: `${found}つのレコードが見つかりました。残りは${lacking}つです`,
        text: 'レコードが反映されるまで、1〜2分かかることがあります。',
      }),
      unseen: () => ({
        title: '現在、DNSを確認できません',
        text: '原因は当方にあり、お客様の操作は不要です。自動で再確認します。下のレコードは変わりませんので、先に追加していただけます。',
      }),
      fix: ({ missing, wrong }) => ({
        title: `${wrong > 1 ? '変更が2か所' : '変更が1か所'}${missing === 0 ? '' : `、追加が${missing}つ`}必要です`,
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
        text: 'その間、サイトは現在のサーバーで動き続けます。レコードはまだ変更しないでください。変更するタイミングはこの画面でお知らせします。',
      }),
      ready: () => ({
        title: '証明書の準備ができました。このレコードを変更してください',
        text: '現在のサイトにつながるレコードを置き換えてください。訪問者への影響はありません。しばらくは以前のサーバーに届くアクセスもあるため、1時間ほど動かしておいてください。',
      }),
      failed: () => ({
        title: '確認を終了しました',
        text: '下のレコードを見直してから、もう一度開始してください。値は変わりません。',
      }),
      certificate: () => ({
        title: 'レコードが見つかりました。次は証明書です',
        text: '認証局が証明書を発行しています。通常は1分もかかりません。操作は不要です。',
      }),
      certificate_blocked: () => ({ title: '証明書の発行にもう1つ必要です', text: '' }),
      certificate_refused: ({ platform }) => ({
        title: '現在対応しています',
        text: `ドメインの証明書が発行されませんでした。お客様による変更は不要です。原因は${platform ?? 'サービス側'}で確認できます。自動で再試行します。`,
      }),
      live: () => ({
        title: 'サイトが公開されました',
        text: 'HTTPSで表示されます。この画面は閉じて構いません。1日に1回確認しますので、レコードはそのままにしておいてください。',
      }),
      live_at_risk: () => ({ title: '公開中ですが、設定が変わっています', text: '' }),
    },
    progress: '進み具合',
    steps: { dns: 'DNSレコード', certificate: '証明書', live: '公開' },
    stepStates: { done: '完了', current: '進行中', problem: '要確認', waiting: '未完了' },
    yourTurn: '操作が必要',
    movingFirst: 'この名前のサイトは現在公開中ですか？変更する前に、下の「サイトを止めずに移す」をお読みください。',
    movingTitle: 'サイトを止めずに移す',
    movingText:
      'この名前のサイトが現在公開中の場合は、まずTXTレコードとこのレコードだけを追加し、他はそのままにしてください。証明書の準備ができたら、変更するレコードをこの画面でお知らせします。',
    movingPurpose:
      '移す前に証明書を取得するために使います。DNS事業者の画面でプロキシを選べる場合は、オフにしてください。',
    records: 'レコード',
    otherRecords: 'その他のレコード',
    recordStates: {
      unknown: '確認中…',
      found: '確認済み',
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
        no: 'ドメインの所有者であることを示します。もう1つのレコードで確認済みです。',
        alternative: 'もう1つのレコードがDNS事業者によって隠れる場合でも、ドメインの所有者であることを示します。',
      },
      challenge: { yes: CHALLENGE, no: CHALLENGE, alternative: CHALLENGE },
    },
    recordTitle: (type) => `${type}レコード`,
    alias: '事業者によってはALIAS、ANAME、CNAMEフラット化などと呼ばれます。',
    noAlias: () =>
      'どれも使えない場合は、代わりに同じ名前で次のレコードを追加し、他のAレコードとAAAAレコードは置かないでください。',
    caaState: '追加してください',
    caaPurpose:
      'このドメインでは他の認証局だけが許可されています。このレコードでこのサービスが使う認証局も許可されます。',
    flags: 'フラグ',
    tag: 'タグ',
    name: '名前',
    value: '値',
    emptyName: '空欄のままにします',
    fullName: '完全な名前',
    fullNameHint: '多くの事業者では、ゾーンを除いて入力します。ゾーン自体の場合は「@」または空欄です。',
    nameUnknown: '入力は少しお待ちください。お使いの事業者での書き方を調べています。',
    instead: '現在',
    replacedBy: '正しい内容',
    ttl: 'TTLはそのままにしてください。',
    copy: 'コピー',
    copied: 'コピー済み',
    copyWhat: (what, type) => `：${type}レコードの${what}`,
    copyDone: 'クリップボードにコピーしました。',
    copyFailed: 'コピーできませんでした。文字を選択して手動でコピーしてください。',
    seenNow: '現在のDNS',
    seen: {
      matched: '正しい値',
      leads_here: 'こちらにつながります',
      other: '検出された値',
      absent: 'なし',
      unreadable: '応答なし',
    },
    at: '応答元：',
    panel: (provider) => `${provider}を開く`,
    opensInNewTab: '（新しいタブで開きます）',
    panels: {
      cloudflare: (zone) => `${zone} › DNS › レコード。「プロキシステータス」を「DNSのみ」（DNS only）にします。`,
    },
    whereUnknown: (nameservers) =>
      `多くの場合、ドメインを購入した事業者です。${nameservers.length === 0 ? '' : `ネームサーバーは${list(nameservers)}です。`}「DNSレコード」や「DNS設定」を探してください。`,
    whereShort: (zone) => `管理画面の場所：${zone} › DNSレコード`,
    connectAt: (provider) => `${provider}で接続する`,
    connectHow: (host) => `${host}にログインして同意すると、DNS事業者がレコードを追加します。`,
    connectDone: 'DNS事業者の画面から戻りました。レコードを確認しています。1分ほどかかることがあります。',
    connectRefused:
      'DNS事業者はレコードを追加しませんでした。入力内容は失われていません。もう一度試すか、下の手順で追加してください。',
    checkNow: '今すぐ確認',
    tryAgain: 'もう一度開始',
    checking: '確認しています…',
    checkAgain: (seconds) => `${duration(seconds)}後に再確認できます`,
    asked: {
      same: (at) => `${clock(at)}に確認しましたが、変化はありません。`,
      changed: (at) => `${clock(at)}に確認しました。`,
      busy: (at) => `${clock(at)}は確認が集中したため実行できませんでした。ボタンの表示が戻るまでお待ちください。`,
      failed: (at) => `${clock(at)}は接続できず、確認できませんでした。もう一度お試しください。`,
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
    sendOnWarning: 'このリンクがあれば、誰でもこの画面を開けます。信頼できる相手にだけ送ってください。',
    sendOnWithoutLink: 'ここにはこの画面へのリンクがありません。レコードをコピーして、メッセージに貼り付けてください。',
    sendByMail: 'メールで送る',
    sendCopy: 'すべてコピー',
    sendCopyWhat: '：レコードのテキスト',
    sendCode: 'この画面へのリンクのQRコード',
    sendCodeText: '読み取ると、スマートフォンで続けられます。',
    sent: {
      subject: (name) => `${name}のDNSレコード`,
      ask: (name) => `${name}に次のDNSレコードを追加してください。`,
      fill: '　',
      instead: 'この種類のレコードが使えない場合は、代わりに次を追加してください。',
      link: 'レコードが見つかったか、問題がある場合は何が違うかを、次のページで確認できます。',
    },
    type: '種類',
    help: 'ご不明な点は',
    contact: (name) => (name === undefined ? 'サポートへのお問い合わせ' : `${name}へのお問い合わせ`),
    askWhom: (name, hasAddress) =>
      `新しいリンクは、${name ?? 'リンクの送り主'}にご依頼ください${hasAddress ? '：' : '。'}`,
    ends: {
      unknown: {
        title: 'このリンクは使えません',
        text: 'リンクを確認できません。ドメインが削除された可能性があります。',
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
        text: '新しいリンクに置き換えられたか、使用できなくなりました。',
      },
      deleted: {
        title: 'ドメインが削除されました',
        text: '設定は行われていません。追加したレコードが残っていても問題はありません。',
      },
      disabled: {
        title: '設定画面は停止されています',
        text: 'このリンクのアカウントは無効になっています。リンクの送り主にお問い合わせください。レコードと値は変わりません。',
      },
      denied: {
        title: 'ここではこの画面を表示できません',
        text: 'サービスがこのページからのリクエストを受け付けていません。',
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
    noAddress: (t) => `${t.at}にはアドレスがないため、誰もアクセスできません。`,
    asked: (t) => `問い合わせ先のネームサーバー：${t.servers}。`,
    otherProviderUnseen: '別の事業者に登録したレコードは参照されません。',
    zoneOfItsOwn: (t) =>
      `${t.ownZone}は独立したゾーンです。ゾーン${t.zoneAbove}に登録した内容はそこでは参照されません。`,
    atOtherName: (t) => `${t.type}レコードが${t.name}にあります。正しい場所は${t.at}です。`,
    zoneAppended: (t) => `DNS事業者は、入力された名前の末尾に${t.zone}を自動で付け加えます。`,
    textToo: (t) => `TXTレコードは${t.otherName}にあります。`,
    notPunycode: (t) => `${t.type}レコードの名前に特殊文字が含まれています。DNSでは${t.at}とは別の名前になります。`,
    textInstead: 'そこにはTXTレコードが必要です。CNAMEと同じ名前に他のレコードは置けません。',
    textOptional: 'CNAMEレコードが正しければ、TXTレコードは不要です。',
    valuesSwapped: (t) => `${t.at}のTXTレコードに、CNAMEレコードの値${t.first}が入っています。`,
    namesSwapped: (t) =>
      `2つのレコードの名前が入れ替わっています。CNAMEレコードが${t.at}に、TXTレコードが${t.otherName}にあります。`,
    proofInCname: (t) =>
      `所有者であることを示す値が${t.at}のCNAMEレコードに入っています。TXTレコードに入れてください。`,
    targetInOther: (t) =>
      `${t.at}では値${t.expected}が${t.removes}レコードに入っています。CNAMEレコードに入れてください。`,

    leadsTo: (t) => `${t.at}は${t.chain}へのCNAMEです。`,
    hostUnknown: 'そのホストは存在しません。',
    hostWithoutAddress: 'そのホストにはアドレスがありません。',
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
      `TXTレコードによりドメインは確認されます。ただし、これらのアドレスが${t.expected}へ転送しない限り、訪問者はアクセスできません。`,
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

    proxiedBy: (t) => `${t.at}は${t.proxy}のプロキシを経由しているため、レコードを確認できません。`,
    proxiedTo: (t) => `${t.at}はプロキシ${t.host}につながるため、レコードを確認できません。`,
    flattened: (t) => `${t.at}には${t.host}のアドレスが設定されており、こちらに接続されます。`,
    flattenedUnseen: (t) =>
      `${t.at}では、CNAMEレコードの代わりに${t.host}のアドレスが返されます（DNS事業者によるフラット化）。`,
    onlyText: (t) => `この場合、ドメインを確認できるのはTXTレコードだけですが、${t.at}にはありません。`,
    textVerifies: 'TXTレコードによりドメインは確認されます。',
    textNeeded: 'ドメインを確認できるのはTXTレコードだけです。',
    challengeProxied: (t) =>
      `${t.at}が${t.expected}ではなくプロキシ（${t.values}）につながるため、証明書を取得できません。`,
    challengeMissing: (t) => `${t.at}にCNAMEレコードがないため、証明書を取得できません。`,
    challengeText: (t) => `代わりにTXTレコード${t.first}があります。CNAMEと同じ名前に他のレコードは置けません。`,

    textHas: (t) => `${t.at}のTXTレコードの値は${t.first}です。`,
    textsHave: (t) => `${t.at}のTXTレコードの値は${t.values}です。`,
    proofMissing: '所有者であることを示す値がありません。',
    othersMayStay: '他の値はそのままで構いません。',
    textBeside: '正しい値のほかに余分な文字があります。',
    textBefore: '値の前に余分な文字があり、トークンも異なります。',
    otherCharacter: (t) => `${t.position}文字目が${t.wanted}ではなく${t.found}になっています。`,
    moreCharacters: (t) => `${t.before}文字目のあとに余分な文字があります。`,
    fewerCharacters: (t) => `${t.before}文字目より後ろがありません。`,
    textQuotes: '値に余分な引用符が含まれています。',
    textCase: '大文字と小文字が一致していません。',
    hasSpace: '値に余分な空白が含まれています。',
    hasTab: '値に余分なタブが含まれています。',
    hasLineBreak: '値に余分な改行が含まれています。',
    hasInvisible: (t) => `値に目に見えない余分な文字（${t.found}）が含まれています。`,
    textEncoded: '値の一部の文字がプログラムによって符号に置き換えられています。',
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
    zoneNames: (t) => `ゾーン自体には${t.seenServers}と書かれています。`,
    onlySeenAt: (t) => `参照されるのは${t.provider}に登録した内容だけです。`,
    onlySeenAtFirst: '参照されるのは、先に挙げたネームサーバーに登録した内容だけです。',
    listsDiffer: (t) => `${t.delegation}設定されているネームサーバーが、ゾーン${t.name}自体の記載と異なります。`,
    onlyDelegated: (t) => `${t.delegation}のみ設定：${t.onlyDelegated}。`,
    onlyInZone: (t) => `ゾーン自体のみに記載：${t.onlyInZone}。`,
    disagree: (t) => `${t.zone}のネームサーバーの間で、${t.at}の${t.type}レコードが一致していません。`,
    differently: (t) => `ネームサーバー${t.servers}が、${t.at}の${t.type}レコードについて毎回異なる応答をします。`,
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
    noticedAfter: (t) => `修正が反映されるまでに${t.lasting}かかることがあります。`,
    caaForbids: (t) => `${t.name}のCAAレコードにより、このサービスが使う認証局は証明書を発行できません：${t.values}。`,
    staleCache: (t) =>
      `ネームサーバーには${t.name}の${t.type}レコードがありますが、公開リゾルバーは${t.until}までキャッシュから応答することがあります。`,
    held: (t) => `${t.name}は、このサービスの別のアカウントで確認済みです。`,
    heldLater: (t) =>
      `${t.name}をここに追加された後に、このサービスの別のアカウントが確認を済ませました。レコードは以前のものかもしれません。`,
    heldSilent: (t) =>
      `${t.zone}のネームサーバー（${t.servers}）がどれも応答しません。リゾルバーのキャッシュの内容だけではこのアカウントに移せません。`,
    heldRecords: 'そのアカウントのレコードがまだ残っています。',

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
    serverPrivate: (t) => `${t.servers}のIPアドレスはプライベートまたは特殊なもので、問い合わせの対象になりません。`,
    serverTcp: (t) => `${t.servers}がTCPで応答しません。`,
    serverInconsistent: (t) => `${t.servers}が、他とは異なるネームサーバーを示しています。`,

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

    add: (t) => `${t.where}${t.type}レコードを追加してください。`,
    change: (t) => `${t.where}${t.type}レコードを変更してください。`,
    replace: (t) => `${t.where}この名前の${t.removes}レコードを削除し、${t.type}レコードを追加してください。`,
    changeName: (t) => `${t.where}${t.type}レコードの名前を変更してください。`,
    zoneIsAdded: (t) => `${t.zone}は自動で付け加えられます。`,
    punycode: (t) => `${t.where}名前を「xn--」で始まる形で入力してください。`,
    dotAtEnd: (t) => `${t.where}CNAMEレコードの値の末尾にドット（.）を付けてください。`,
    withoutQuotes: '値は引用符なしで入力してください。',
    exchangeNames: (t) => `${t.where}2つのレコードの名前を入れ替えてください。`,
    forCname: (t) => `CNAMEレコードの名前：${t.entered}。`,
    forText: (t) => `TXTレコードの名前：${t.entered}。`,
    deleteDelegation: (t) =>
      `ゾーン${t.zone}にある${t.name}のNSレコードを削除し、そこにCNAMEレコードを追加してください。`,
    ifNoProxy: 'お使いのプロキシのアドレスでない場合は、CNAMEレコードに置き換えてください。',
    orAddText: 'お使いのプロキシのアドレスの場合は、代わりにTXTレコードを追加してください。',
    orPublishText: 'お使いのプロキシのアドレスの場合は、代わりに正しいTXTレコードを登録してください。',
    doNotProxy: 'このレコードはプロキシを経由させないでください（Cloudflareでは灰色の雲「DNSのみ」）。',
    keepOne: (t) =>
      `${t.where}この名前にある他のCNAME、A、AAAAレコードをすべて削除し、CNAMEレコードを1つだけ残してください。`,
    deleteCname: 'CNAMEレコードを削除してください。',
    addAddresses: (t) => `${t.where}${t.at}に次のアドレスだけを設定してください：${t.addresses}。`,
    addAlias: (t) =>
      `${t.where}ALIAS、ANAME、CNAMEフラット化などと呼ばれるレコードを追加し、AレコードとAAAAレコードは置かないでください。`,
    addTyped: (t) => `${t.where}${t.typeInZone}レコードを追加し、AレコードとAAAAレコードは置かないでください。`,
    register: (t) => `レジストラで${t.name}を登録または更新し、ネームサーバーを設定してください。`,
    mistypedLook: '名前の入力ミスの場合は、正しい名前を確認してください。',
    mistypedAdd: '名前の入力ミスの場合は、このドメインを削除し、正しいドメインを追加してください。',
    renew: (t) =>
      `レジストラで${t.name}を更新してください。以前のネームサーバーが自動で戻らない場合は、そこで設定してください。`,
    changeNameservers: (t) =>
      `${t.delegation}ネームサーバーをDNS事業者のものに変更し、レコードはその事業者に登録してください。`,
    setNameservers: (t) => `${t.delegation}ネームサーバーを次のとおり設定してください：${t.seenServers}。`,
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
    orSignAgain: 'または、ゾーンに署名し直してください。',
    deleteCaa: (t) =>
      `タグが${t.tag}のCAAレコードを削除してください。フラグが128以上である限り、どの認証局も証明書を発行できません。`,
    recreate: 'ご自身の名前である場合は、ドメインを削除して追加し直し、新しいレコードを登録してください。',
    askSilent: (t) =>
      `${t.zone}のDNS事業者に、ネームサーバーが応答しない理由を問い合わせてください。応答が戻り、このドメインのレコードだけになると、名前が移ります。`,
    removeOthers: (t) =>
      `${t.where}${t.at}にある他のTXTレコードをすべて削除し、${t.name}を${t.expected}だけに向けてください。`,
    moveWithBoth: (t) =>
      `このアカウントに名前を移すには、このドメインの2つのレコードを登録し、${t.at}にある別のアカウントのTXTレコードを削除してください。`,
    moveWithText: (t) =>
      `このアカウントに名前を移すには、このドメインのTXTレコードを登録し、${t.at}にある別のアカウントのものを削除してください。`,
    replaceCertificate:
      'このアドレスのプロキシまたはロードバランサーで証明書を差し替えるか、接続をそのままこのサービスに通してください。',
    renewCertificate:
      'このアドレスのプロキシまたはロードバランサーで証明書を更新するか、接続をそのままこのサービスに通してください。',
    orPassOn: (t) =>
      `このアドレスがお使いのプロキシの場合は、代わりに${t.value}以下へのリクエストも転送するよう設定してください。`,
    openPort: 'そのサーバーでポート443を開いてください。',
    orUnused: 'アドレスを使わなくなった場合：',
    waitUntilThen: 'それまでお待ちください。',
    askAboutName: (t) => `${t.zone}のDNS事業者に理由を問い合わせてください。`,
    underscore: 'アンダースコアで始まる名前をファイアウォールが遮断している可能性があります。',
    orAddAgain: (t) => `または、${t.type}レコードを削除して追加し直してください。`,
    nothingOrRegistrar: 'レコードを変更する必要はありません。続く場合は、ドメインのレジストラに問い合わせてください。',
    askOrRemove: (t) =>
      `${t.zone}のDNS事業者に理由を問い合わせるか、${t.delegation}次のネームサーバーを外してください：${t.servers}。`,
    createZone: (t) =>
      `そのDNS事業者でゾーン${t.zone}を作成するか、${t.delegation}ゾーンを持つ事業者のネームサーバーを設定してください。`,
    checkZone: (t) =>
      `DNS事業者でゾーン${t.zone}を確認するか、事業者に問い合わせてください。誤りがあるか、読み込まれていない可能性があります。`,
    correctNames: (t) => `${t.delegation}ネームサーバーの名前（${t.servers}）を修正してください。`,
    publicAddresses: (t) =>
      `${t.zone}のネームサーバーにグローバルIPアドレスを設定するか、別のネームサーバーを使ってください。`,
    openTcp: (t) => `${t.servers}でTCPポート53を開いてください。UDPに収まらない応答はTCPで受け取ります。`,
    registryTakes: '変更は不要です。ネームサーバーの変更が反映されるまで数分かかります。',

    certificateNoAddress: (t) => `${t.name}にアドレスがないため、認証局がアクセスできません。`,
    certificateUnread: (t) => `${t.name}のDNSを参照できませんでした。自動で再試行します。`,
    certificatePrivate: (t) => `${t.name}は${t.addresses}につながりますが、公開されたインターネット上にありません。`,
    certificateUnreachable: (t) => `${t.name}は${t.addresses}につながりますが、ポート80で応答がありません。`,
    certificateOther: (t) =>
      `${t.name}は${t.addresses}につながりますが、別のサーバー、またはリクエストを転送しないプロキシが応答します。`,
    certificateCaa: (t) => `${t.name}のCAAレコードにより、このサービスが使う認証局は証明書を発行できません。`,
    certificateNoRecord: (t) => `${t.name}の証明書に必要なCNAMEレコードがありません。`,
    certificateRecordElsewhere: (t) => `${t.name}の証明書に必要なCNAMEレコードが別の場所を指しています。`,
    certificateNotSeen: (t) => `${t.name}の証明書に必要な情報が、まだDNSで見つかりません。`,
    certificateUnproved: (t) => `認証局が${t.name}を検証できませんでした。`,
    certificateRefused: (t) => `認証局は${t.name}の証明書を発行しません。`,
    certificateLater: '原因は当方にあり、お客様のレコードに問題はありません。自動で再試行します。',
  },
};
