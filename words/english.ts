import type { Sentence } from './sentence.ts';

/** The English of findings and certificates, in the API and on pages. */
const findings = {
  // Places.
  atProvider: ({ provider }) => `At ${provider}`,
  inZone: ({ zone }) => `In the DNS settings of ${zone}`,
  atRegistrar: ({ zone }) => `at the registrar of ${zone}`,
  inZoneAbove: ({ zone }) => `in the NS records of ${zone} in the zone above`,

  // The text to type.
  entry: ({ entered, value }) => `Name: ${entered}, Value: ${value}.`,
  entryUnnamed: ({ value }) => `Name: leave it empty, Value: ${value}.`,
  entryName: ({ entered }) => `Name: ${entered}.`,
  entryNameEmpty: 'Name: leave it empty.',
  entryCaa: ({ flags, tag, value }) => `Flags: ${flags}, Tag: ${tag}, Value: ${value}.`,

  // Records that are not there, or at another place.
  noRecord: ({ type, at }) => `There is no ${type} record at ${at}.`,
  noAddress: ({ at }) => `${at} has no address, so nobody reaches it.`,
  asked: ({ servers }) => `Asked nameservers: ${servers}.`,
  otherProviderUnseen: 'Records at another provider are not seen.',
  zoneOfItsOwn: ({ ownZone, zoneAbove }) =>
    `${ownZone} is a zone of its own: what is published in the zone ${zoneAbove} is not seen there.`,
  atOtherName: ({ type, name, at }) => `The ${type} record is at ${name}; it belongs at ${at}.`,
  zoneAppended: ({ zone }) => `The DNS provider adds ${zone} to every name that is entered.`,
  textToo: ({ otherName }) => `The TXT record is at ${otherName}.`,
  notPunycode: ({ type, at }) =>
    `The ${type} record is at a name with special characters. In DNS that is another name than ${at}.`,
  textInstead: 'A TXT record has to be there instead: nothing else can be beside a CNAME.',
  textOptional: 'With a correct CNAME record, the domain needs no TXT record.',
  valuesSwapped: ({ at, first }) => `The TXT record at ${at} has the value of the CNAME record, ${first}.`,
  namesSwapped: ({ at, otherName }) =>
    `The names of the two records are exchanged: the CNAME record is at ${at}, and the TXT record at ${otherName}.`,
  proofInCname: ({ at }) =>
    `The value that proves ownership is in a CNAME record at ${at}; it belongs in a TXT record.`,
  targetInOther: ({ at, expected, removes }) =>
    `At ${at} the value ${expected} is in a record of the type ${removes}; it belongs in a CNAME record.`,
  nameAbsent: 'The name does not exist.',

  // Records that lead elsewhere.
  leadsTo: ({ at, chain }) => `${at} is a CNAME to ${chain}.`,
  hostUnknown: 'That host does not exist.',
  hostWithoutAddress: 'That host has no address.',
  hasToLead: ({ expected }) => `It has to lead to ${expected}.`,
  hasToLeadForCertificate: ({ expected }) =>
    `It has to lead to ${expected}, so that this service can get the certificate.`,
  otherTarget: ({ at, host }) => `${at} is a CNAME to ${host}, which is not the target of this domain.`,
  otherTargetWhy: 'It belongs to another domain, to this one before it was deleted and added again, or is mistyped.',
  valueDoubled: ({ zone }) => `The DNS provider has added the zone ${zone} to the end of the value.`,
  valueUrl: 'The value is a web address (URL), not a host name.',
  valueAddress: 'The value is an IP address, not a host name.',
  valueSpace: 'The value has white space that does not belong to it.',
  valueQuotes: 'The value has quotation marks that do not belong to it.',
  valueText: 'That is the value of the TXT record.',
  loop: ({ at }) => `The CNAME records of ${at} lead in a circle.`,
  loopNames: ({ at, chain }) => `Each leads to the next: ${at} → ${chain}.`,
  tooLong: ({ at }) => `${at} leads over more than 8 CNAME records.`,
  tooLongNames: ({ chain }) => `They lead to ${chain}.`,
  hostUnread: 'That host could not be read.',
  addressInstead: ({ at, addresses, count, expected, plural }) =>
    `${at} has the ${plural(count, { one: 'address', other: 'addresses' })} ${addresses}, not a CNAME record to ${expected}.`,
  passedOn: ({ expected }) =>
    `The TXT record verifies the domain. Visitors reach it only if these addresses pass them on to ${expected}.`,
  conflict: ({ at, first, values }) => `${at} has a CNAME record to ${first} and other records beside it: ${values}.`,
  byChance: 'Visitors reach one or the other by chance.',
  apexCname: 'The name of a zone must not be a CNAME: other records there, such as those for e-mail, may stop working.',
  apexElsewhere: ({ at, addresses, count, plural }) =>
    `${at} has the ${plural(count, { one: `address ${addresses}, which is`, other: `addresses ${addresses}, which are` })} not of this service.`,
  visitorsElsewhere: 'Visitors go to another server, unless a proxy of yours passes them on.',
  wildcardText: ({ at, first }) =>
    `The TXT record at ${at} comes from a wildcard record (*) and has the value ${first}.`,
  wildcardAddress: ({ at, addresses, count, plural }) =>
    `${at} has no record of its own: a wildcard record (*) gives it the ${plural(count, { one: 'address', other: 'addresses' })} ${addresses}.`,
  wildcardCname: ({ at, chain }) =>
    `${at} has no record of its own: a wildcard record (*) makes it a CNAME to ${chain}.`,
  wildcardAbove: 'That wildcard record is at a name above this one.',

  // Records that a provider hides.
  proxiedBy: ({ at, proxy }) => `${at} is proxied by ${proxy}, so its record cannot be seen.`,
  proxiedTo: ({ at, host }) => `${at} leads to a proxy, ${host}, so its record cannot be seen.`,
  flattened: ({ at, host }) => `${at} has the addresses of ${host}, so it leads here.`,
  flattenedUnseen: ({ at, host }) =>
    `${at} has the addresses of ${host} in place of a CNAME record (the DNS provider flattens it).`,
  onlyText: ({ at }) => `Only a TXT record can verify the domain then, and there is none at ${at}.`,
  textVerifies: 'The TXT record verifies the domain.',
  textNeeded: 'Only the TXT record can verify the domain.',
  challengeProxied: ({ at, values, expected }) =>
    `${at} leads to a proxy (${values}), not to ${expected}, so this service cannot get the certificate.`,
  challengeMissing: ({ at }) => `There is no CNAME record at ${at}, so this service cannot get the certificate.`,
  challengeText: ({ first }) => `There is a TXT record instead, ${first}: nothing else can be beside a CNAME.`,

  // Values of the TXT record.
  textHas: ({ at, first }) => `The TXT record at ${at} has the value ${first}.`,
  textsHave: ({ at, values, count, plural }) =>
    plural(count, {
      one: `The TXT record at ${at} has the value ${values}.`,
      other: `The TXT records at ${at} have the values ${values}.`,
    }),
  proofMissing: 'The value that proves ownership is missing.',
  othersMayStay: ({ count, plural }) =>
    plural(count, { one: 'The other value may stay.', other: 'The other values may stay.' }),
  textBeside: 'There is other text beside the right value.',
  textBefore: 'There is other text before the value, and its token is another one.',
  otherCharacter: ({ position, found, wanted }) => `Character ${position} is ${found} instead of ${wanted}.`,
  moreCharacters: ({ before }) => `More text follows after character ${before}.`,
  fewerCharacters: ({ before }) => `Everything after character ${before} is missing.`,
  textQuotes: 'It has quotation marks that do not belong to it.',
  textCase: 'Upper and lower case are mixed up.',
  hasSpace: 'It has a space that does not belong to it.',
  hasTab: 'It has a tab that does not belong to it.',
  hasLineBreak: 'It has a line break that does not belong to it.',
  hasInvisible: ({ found }) => `It has an invisible character (${found}) that does not belong to it.`,
  textEncoded: 'A program has replaced characters in it by codes.',
  textStale: 'It looks like the value of another domain, or of this one before it was deleted and added again.',
  textOfOther: ({ owner }) => `That is the value of ${owner}.`,
  beginningMissing: 'Its beginning is missing.',
  endMissing: 'Its end is missing.',

  // The zone.
  notRegistered: ({ name }) =>
    `The domain ${name} does not exist: it is not registered, it has expired, or it has no nameservers.`,
  expired: ({ name, servers, provider }) =>
    `The registration of ${name} seems to have expired: its nameservers (${servers}) are those of ${provider} for domains that were not renewed, or that nobody uses.`,
  parked: ({ name, servers, provider }) =>
    `The domain ${name} is parked at ${provider}: its nameservers (${servers}) belong to a service that shows advertisements. No records can be published there.`,
  parkedAddresses: ({ name, addresses }) => `Every name in it, also ${name} itself, leads to ${addresses}.`,
  nameserversAre: ({ servers, delegation }) => `The nameservers ${delegation} are ${servers}.`,
  recordIsAt: ({ type, otherName, seenServers }) => `The ${type} record at ${otherName} is at ${seenServers}.`,
  zoneNames: ({ seenServers }) => `The zone itself names ${seenServers}.`,
  onlySeenAt: ({ provider }) => `Only what is published at ${provider} is seen.`,
  onlySeenAtFirst: 'Only what is published at the first ones is seen.',
  listsDiffer: ({ name, delegation }) => `The nameservers ${delegation} differ from those in the zone ${name} itself.`,
  onlyDelegated: ({ onlyDelegated, delegation }) => `Only ${delegation}: ${onlyDelegated}.`,
  onlyInZone: ({ onlyInZone }) => `Only in the zone itself: ${onlyInZone}.`,
  disagree: ({ zone, type, at }) => `The nameservers of ${zone} do not agree on the ${type} record at ${at}.`,
  differently: ({ servers, type, at }) =>
    `The nameserver ${servers} gives different answers for the ${type} record at ${at}.`,
  answers: ({ servers, answer }) => `${servers} answers: ${answer}.`,
  nothingThere: 'no record',
  cnameThere: ({ chain }) => `a CNAME to ${chain}`,
  cnameToItself: 'a CNAME to itself',
  bogus: ({ zone }) => `DNSSEC (the signatures of DNS records) of the zone ${zone} is broken.`,
  mostCannotSee: 'Most of the Internet does not see its records.',
  signatureExpired: 'The signature has expired.',
  signatureNotYetValid: 'The signature is not valid yet.',
  keyMissing: 'The zone has no key that fits its DS record.',
  signatureMissing: 'The signature is missing.',
  absenceUnproven: 'The proof that the name does not exist is missing.',
  dsIs: ({ value }) => `Its DS record is ${value}.`,
  noticedAfter: ({ lasting }) => `After the fix it may take ${lasting} until that is noticed.`,
  caaForbids: ({ name, values }) =>
    `The CAA records at ${name} forbid our certificate authority to issue a certificate: ${values}.`,
  staleCache: ({ type, name, until }) =>
    `The nameservers have the ${type} record of ${name}, but public resolvers may answer from their cache until ${until}.`,
  held: ({ name }) => `Another account of this service holds ${name} as verified.`,
  heldLater: ({ name }) =>
    `Another account of this service verified ${name} after you added it here, so your records may be out of date.`,
  heldSilent: ({ zone, servers }) =>
    `None of the nameservers of ${zone} answers (${servers}), and what resolvers have in their caches is not enough to move the name.`,
  heldRecords: 'Its records are still in place.',
  oneHasIt: ({ servers, seenServers }) => `${servers} has it, and ${seenServers} does not.`,
  notAllAsked: 'Not every nameserver was asked.',

  // Nameservers.
  resolversFail: ({ name }) => `The DNS resolvers of this service give no usable answer, so ${name} could not be read.`,
  zoneUnread: ({ name }) => `The zone ${name} could not be read.`,
  someUnread: ({ name }) => `Not every nameserver of ${name} could be read.`,
  delegationUnread: ({ name }) => `The nameservers of ${name} could not be found.`,
  nameUnread: ({ name }) => `${name} could not be read.`,
  othersAnswer: ({ zone }) => `For other names in the zone ${zone} there are answers.`,
  itsNameservers: 'its nameservers',
  serverTimeout: ({ servers }) => `No answer came in time from ${servers}.`,
  serverFailure: ({ servers }) => `A failure (SERVFAIL) came from ${servers}.`,
  serverRefused: ({ servers }) => `A refusal (REFUSED) came from ${servers}.`,
  serverLame: ({ servers }) => `The zone is not served by ${servers} (lame delegation).`,
  serverMalformed: ({ servers }) => `Responses that are not valid DNS came from ${servers}.`,
  serverWithoutAddress: ({ servers }) => `There is no IP address for ${servers}.`,
  serverUnreachable: ({ servers }) => `There is no way to reach ${servers}.`,
  serverPrivate: ({ servers }) =>
    `There is only a private or special IP address, which is never asked, for ${servers}.`,
  serverTcp: ({ servers }) => `No answer came over TCP from ${servers}.`,
  serverInconsistent: ({ servers }) => `A list of nameservers that differs from the others came from ${servers}.`,
  parentNameserver: 'a nameserver of the zone above',

  // Visitors.
  outside: ({ name, addresses, count, plural }) =>
    `Visitors of ${name} do not reach the site at the ${plural(count, { one: 'address', other: 'addresses' })} ${addresses}.`,
  outsideOther: 'Another server answers, which does not pass requests on to this service.',
  outsideWrongName: 'They get a certificate that is not for this name.',
  outsideExpired: 'They get a certificate that has expired.',
  outsideNotYet: 'They get a certificate that is not valid yet.',
  outsideUntrusted: 'They get a certificate that browsers do not trust.',
  outsidePrivate: 'The Internet has no way there.',
  outsideRefused: 'Nothing listens at port 443.',
  outsideTls: 'There is no TLS handshake at port 443.',
  outsideNothing: 'The server ends the connection without a response.',
  outsideTimeout: 'There is no answer in time.',

  // Fixes.
  add: ({ where, type }) => `${where}, add ${type === 'ALIAS' ? 'an' : 'a'} ${type} record.`,
  change: ({ where, type }) => `${where}, change the ${type} record.`,
  replace: ({ where, type, removes }) =>
    `${where}, delete every ${removes} record at this name, and add ${type === 'ALIAS' ? 'an' : 'a'} ${type} record.`,
  changeName: ({ where, type }) => `${where}, change the name of the ${type} record.`,
  zoneIsAdded: ({ zone }) => `It adds ${zone} itself.`,
  punycode: ({ where }) => `${where}, enter the name in its “xn--” form.`,
  dotAtEnd: ({ where }) => `${where}, end the value of the CNAME record with a dot.`,
  withoutQuotes: 'Enter the value without quotation marks.',
  exchangeNames: ({ where }) => `${where}, exchange the names of the two records.`,
  forCname: ({ entered }) => `Name of the CNAME record: ${entered}.`,
  forText: ({ entered }) => `Name of the TXT record: ${entered}.`,
  deleteDelegation: ({ name, zone }) =>
    `Delete the NS records of ${name} in the zone ${zone}, and add the CNAME record there.`,
  ifNoProxy: 'If these are not the addresses of a proxy of yours, replace them by a CNAME record.',
  orAddText: 'Or, if a proxy of yours has these addresses, add a TXT record.',
  orPublishText: 'Or, if a proxy of yours has these addresses, publish the right TXT record.',
  doNotProxy: 'Do not let the provider proxy it (Cloudflare: grey cloud, “DNS only”).',
  keepOne: ({ where }) =>
    `${where}, delete every other CNAME, A and AAAA record at this name, and keep one CNAME record.`,
  deleteCname: 'Delete the CNAME record.',
  addAddresses: ({ where, at, addresses }) => `${where}, give ${at} these addresses and no others: ${addresses}.`,
  addAlias: ({ where }) =>
    `${where}, add the record that is called ALIAS, ANAME or flattened CNAME, and no A or AAAA records.`,
  addTyped: ({ where, typeInZone }) => `${where}, add the ${typeInZone} record, and no A or AAAA records.`,
  register: ({ name }) => `Register or renew ${name} at a registrar, and set its nameservers there.`,
  mistypedLook: 'If the name is mistyped, look at the right one.',
  mistypedAdd: 'If the name is mistyped, delete this domain and add the right one.',
  renew: ({ name }) =>
    `Renew ${name} at its registrar. If the nameservers from before do not come back by themselves, set them there.`,
  changeNameservers: ({ delegation }) =>
    `Change the nameservers to those of a DNS provider, ${delegation}. Publish the records at that provider.`,
  setNameservers: ({ delegation, seenServers }) => `Set the nameservers to ${seenServers}, ${delegation}.`,
  orPublishAt: ({ servers }) => `Or publish the records at ${servers}.`,
  sameLists: ({ delegation, name }) =>
    `Make both lists the same: ${delegation}, or in the NS records of the zone ${name} itself.`,
  waitMinutes: 'If you have just changed it, wait a few minutes.',
  askWhyDifferent: 'Otherwise ask the DNS provider why its answers differ.',
  publishSame: 'Otherwise publish the same at all of them, or remove those that differ.',
  nothingToDo: 'There is nothing for you to do: this service looks again by itself.',
  mendDsRegistrar: ({ zone }) =>
    `At the registrar of ${zone}, remove the DS record, or replace it by the one that the DNS provider shows.`,
  mendDsAbove: ({ zone }) =>
    `In the zone above ${zone}, remove the DS record, or replace it by the one that the DNS provider shows.`,
  signAgain: ({ zone }) => `Ask the DNS provider of ${zone} to sign the zone again. Or:`,
  orSignAgain: 'Or sign the zone again.',
  deleteCaa: ({ tag }) =>
    `Delete the CAA record with the tag ${tag}: as long as its flags are 128 or more, no certificate authority may issue.`,
  recreate: 'If the name is yours, delete the domain, add it again and publish its new records.',
  askSilent: ({ zone }) =>
    `Ask the DNS provider of ${zone} why its nameservers do not answer. The name moves once they do, and have only the records of this domain.`,
  removeOthers: ({ where, at, name, expected }) =>
    `${where}, remove every other TXT record at ${at}, and point ${name} to ${expected} only.`,
  moveWithBoth: ({ at }) =>
    `To move the name, publish both records of this domain, and remove the other account’s TXT record at ${at}.`,
  moveWithText: ({ at }) =>
    `To move the name, publish the TXT record of this domain, and remove the other account’s at ${at}.`,
  replaceCertificate:
    'At the proxy or load balancer that has this address, replace the certificate, or let connections pass through to this service as they are.',
  renewCertificate:
    'At the proxy or load balancer that has this address, renew the certificate, or let connections pass through to this service as they are.',
  orPassOn: ({ value }) => `Or, if a proxy of yours has this address, let it pass on what is below ${value} too.`,
  openPort: 'Open port 443 at that server.',
  orUnused: 'Or, if the address is not in use any more:',
  waitUntilThen: 'Wait until then.',
  askAboutName: ({ zone }) => `Ask the DNS provider of ${zone} why.`,
  underscore: 'A firewall may drop names that begin with an underscore.',
  orAddAgain: ({ type }) => `Or delete the ${type} record, and add it again.`,
  nothingOrRegistrar: 'Nothing has to be changed in the records. If it lasts, ask the registrar of the domain.',
  askOrRemove: ({ zone, servers, delegation }) =>
    `Ask the DNS provider of ${zone} why, or remove ${servers} from its nameservers, ${delegation}.`,
  createZone: ({ zone, delegation }) =>
    `Create the zone ${zone} at that DNS provider, or set the nameservers of the provider that has it, ${delegation}.`,
  checkZone: ({ zone }) =>
    `Check the zone ${zone} at its DNS provider, or ask the provider: the zone may have an error, or not be loaded.`,
  correctNames: ({ servers, delegation }) => `Correct the names of the nameservers (${servers}), ${delegation}.`,
  publicAddresses: ({ zone }) => `Give the nameservers of ${zone} public IP addresses, or use others.`,
  openTcp: ({ servers }) => `Open TCP port 53 at ${servers}: answers that are too large for UDP are read over TCP.`,
  registryTakes: 'Nothing has to be changed: a change of nameservers takes some minutes to reach all of the registry.',
  setNameserversOf: ({ delegation, provider }) => `Set the nameservers to those of ${provider}, ${delegation}.`,

  // Certificates.
  certificateNoAddress: ({ name }) => `${name} has no address, so a certificate authority cannot reach it.`,
  certificateUnread: ({ name }) => `The DNS of ${name} could not be read. We try again by ourselves.`,
  certificatePrivate: ({ name, addresses }) => `${name} leads to ${addresses}, which is not on the public Internet.`,
  certificateUnreachable: ({ name, addresses }) => `${name} leads to ${addresses}, where nothing answers at port 80.`,
  certificateOther: ({ name, addresses }) =>
    `${name} leads to ${addresses}, where another server answers, or a proxy that does not pass requests on.`,
  certificateCaa: ({ name }) =>
    `At the last attempt, a CAA record forbade our certificate authority to issue a certificate for ${name}.`,
  certificateNoRecord: ({ name }) => `The CNAME record for the certificate of ${name} is missing.`,
  certificateRecordElsewhere: ({ name }) => `The CNAME record for the certificate of ${name} leads elsewhere.`,
  certificateNotSeen: ({ name }) => `The proof for the certificate of ${name} is not found in DNS yet.`,
  certificateUnproved: ({ name }) => `The certificate authority could not validate ${name}.`,
  certificateRefused: ({ name }) => `The certificate authority does not issue a certificate for ${name}.`,
  certificateLater: 'That lies with us, not with your records. We try again by ourselves.',
} satisfies Record<string, Sentence>;

type FindingKey = keyof typeof findings;

/** A language's sentences about findings and certificates. The pages have a file of this form for each other language. */
export interface Wording {
  /** As BCP 47 has it. */
  tag: string;
  /** Between sentences. */
  space: string;
  findings: Record<FindingKey, Sentence>;
}

export const english: Wording = { tag: 'en', space: ' ', findings };
