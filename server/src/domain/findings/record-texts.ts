import type { FindingCode } from '../finding.ts';

/** The documentation of a code. */
export interface FindingText {
  /** One sentence, at most 100 characters; also the message where names are too long for one that names them. */
  title: string;
  /** Its meaning for the domain. */
  means: string;
  /** How it happens. */
  causes: string;
  fix: string;
  /** Records as in a zone file: what was seen, and what is right. */
  example?: { seen: string; right: string };
}

/** In examples: shop.example.com in the zone example.com, as a zone file has it. */
const NAME = 'shop.example.com.';
const TXT_NAME = '_service.shop.example.com.';
const TARGET = 'k7q2m9x4c1v8b3n6.cname.example.net';
const TOKEN = 'Zt4mQ8rV1xKc7NwLb2YpH5sJ';
const VALUE = `service-domain-verify=${TOKEN}`;
const CHALLENGE_NAME = '_acme-challenge.shop.example.com.';
const CHALLENGE = `${CHALLENGE_NAME} CNAME k7q2m9x4c1v8b3n6.acme.example.net.`;
const CNAME = `${NAME} CNAME ${TARGET}.`;
const TXT = `${TXT_NAME} TXT "${VALUE}"`;

const cname = (seen: string) => ({ seen: `${NAME} CNAME ${seen}`, right: CNAME });
const txt = (seen: string) => ({ seen: `${TXT_NAME} TXT "${seen}"`, right: TXT });

const COPY = 'Copy the value from `dnsRecords` and put it in place of the old one. Nothing belongs before or after it.';
const EDIT_CNAME = 'Change the CNAME record. Its value is the `value` of the record in `dnsRecords`.';

type RecordCode = Exclude<
  FindingCode,
  | `nameserver${string}`
  | `zone_${string}`
  | 'resolvers_unreachable'
  | 'delegation_mismatch'
  | 'record_below_cut'
  | 'dnssec_bogus'
  | 'caa_forbids'
  | 'held_elsewhere'
  | 'stale_cache'
  | 'other_certificate'
  | 'certificate_expired_outside'
  | 'tls_unreachable'
>;

/** Possible mistakes of the two records. */
export const RECORD_TEXTS: Record<RecordCode, FindingText> = {
  record_missing: {
    title: 'The record is not published.',
    means:
      'Every nameserver that was asked says that there is no such record. Verification goes on until it is published.',
    causes:
      'Nobody has published it yet. Or it was published at another provider than the one whose nameservers the domain uses: the finding names the nameservers that were asked.',
    fix: 'Publish the record at the provider that runs these nameservers.',
    example: { seen: 'no record', right: CNAME },
  },
  name_doubled: {
    title: 'The name of the record has the zone in it twice.',
    means: 'The record is below the name where it belongs, so nobody finds it.',
    causes: 'Most DNS panels append the zone to every name. If the full name is entered, the zone is in it twice.',
    fix: 'Enter only the part of the name before the zone.',
    example: { seen: `shop.example.com.example.com. CNAME ${TARGET}.`, right: CNAME },
  },
  record_at_other_name: {
    title: 'The record is at another name than the one where it belongs.',
    means: 'The value is right, and nobody looks for it there.',
    causes:
      'The label with the underscore was left out, mistyped, or put in another place. Or the record was made for `www` instead of the name without it.',
    fix: 'Change the name of the record to the `name` in `dnsRecords`.',
    example: { seen: `${NAME} TXT "${VALUE}"`, right: TXT },
  },
  cname_at_txt_name: {
    title: 'A CNAME record is where the TXT record should be.',
    means: 'A name that is a CNAME cannot have a TXT record of its own.',
    causes:
      'The CNAME record was entered under the name of the TXT record, or the name was delegated to another service.',
    fix: 'Delete the CNAME record at this name and publish the TXT record there.',
    example: { seen: `${TXT_NAME} CNAME ${TARGET}.`, right: TXT },
  },
  records_swapped: {
    title: 'The two records are exchanged.',
    means: 'Each record has the name or the value of the other one.',
    causes: 'The two rows were mixed up while they were copied.',
    fix: 'Exchange the values, or the names, of the two records.',
    example: { seen: `${TXT_NAME} CNAME ${TARGET}.\n${NAME} TXT "${VALUE}"`, right: `${CNAME}\n${TXT}` },
  },
  wrong_type: {
    title: 'The record has the wrong type.',
    means: 'The value is right, but it is in a record of another type.',
    causes: 'Another type was chosen in the DNS panel: TXT or NS in place of CNAME, or CNAME in place of TXT.',
    fix: 'Delete the record and add one of the right type with the same value.',
    example: { seen: `${NAME} TXT "${TARGET}"`, right: CNAME },
  },
  cname_elsewhere: {
    title: 'The CNAME record leads to another host.',
    means: 'Visitors are sent to another server. The domain is verified when the CNAME leads to its target.',
    causes: 'The name still leads to where it was hosted before, or the value is mistyped.',
    fix: EDIT_CNAME,
    example: cname('old-shop.example.org.'),
  },
  cname_other_target: {
    title: 'The CNAME record leads to the target of another domain.',
    means: 'The value is a target of this service, but not the one of this domain.',
    causes:
      'The value was copied from another domain, was not replaced after the domain was deleted and added again, or is mistyped.',
    fix: EDIT_CNAME,
    example: cname('x3x3x3x3x3x3x3x3.cname.example.net.'),
  },
  value_doubled_zone: {
    title: 'The DNS provider has appended the zone to the value of the CNAME.',
    means: 'The CNAME leads to a name that does not exist.',
    causes: 'In some DNS panels a value without a dot at its end is a name inside the zone.',
    fix: 'Enter the value with a dot at its end.',
    example: cname(`${TARGET}.example.com.`),
  },
  value_is_url: {
    title: 'The value of the CNAME is a URL.',
    means: 'A CNAME leads to a host name. A name with `https://` or a path in it does not exist.',
    causes: 'The address was copied from a browser.',
    fix: 'Enter the host name only, without `https://` and without a slash.',
    example: cname(`https://${TARGET}.`),
  },
  value_is_address: {
    title: 'The value of the CNAME is an IP address.',
    means: 'A CNAME leads to a host name. There is no host with this name.',
    causes: 'The IP address of the server was entered in a CNAME record.',
    fix: EDIT_CNAME,
    example: cname('192.0.2.7.'),
  },
  value_whitespace: {
    title: 'The value of the CNAME has white space in it.',
    means: 'The white space is part of the name, and no such host exists.',
    causes: 'A space or a line break was copied together with the value.',
    fix: 'Enter the value again, without spaces before and after it.',
    example: cname(`\\032${TARGET}.`),
  },
  value_quoted: {
    title: 'The value of the CNAME has quotation marks in it.',
    means: 'The quotation marks are part of the name, and no such host exists.',
    causes: 'The value was copied with the quotation marks around it.',
    fix: 'Enter the value again, without quotation marks.',
    example: cname(`"${TARGET}".`),
  },
  value_is_txt: {
    title: 'The CNAME has the value of the TXT record.',
    means: 'The CNAME leads to a name that does not exist.',
    causes: 'The two values were mixed up while they were copied.',
    fix: EDIT_CNAME,
    example: cname(`${VALUE.toLowerCase()}.`),
  },
  cname_loop: {
    title: 'The CNAME records lead in a circle.',
    means: 'The name leads to itself, over one or more CNAME records. It has no address.',
    causes: 'Two names were made CNAMEs of each other.',
    fix: 'Point the name straight at its target.',
    example: { seen: `${NAME} CNAME www.example.com.\nwww.example.com. CNAME ${NAME}`, right: CNAME },
  },
  cname_chain_too_long: {
    title: 'The name leads over too many CNAME records.',
    means: 'More than 8 CNAME records follow each other. Resolvers give up after a similar number.',
    causes: 'Every service on the way adds a CNAME of its own.',
    fix: 'Point the name straight at its target.',
  },
  cname_to_broken_zone: {
    title: 'The CNAME record leads into a zone that cannot be read.',
    means: 'The nameservers of the host that the CNAME names do not answer.',
    causes: 'The service that ran the host has been closed, or its nameservers are down.',
    fix: EDIT_CNAME,
    example: cname('shop.closed-service.example.'),
  },
  address_instead_of_cname: {
    title: 'The name has an IP address instead of a CNAME record.',
    means:
      'It cannot be seen whether these addresses lead here. Without a CNAME record the TXT record has to prove who owns the name.',
    causes:
      'The name still leads to its former server, or the addresses of the target were entered by hand. Addresses change; the target does not.',
    fix: 'Delete the A and AAAA records of the name and publish the CNAME record. If a proxy hides the CNAME record, publish the TXT record too.',
    example: { seen: `${NAME} A 192.0.2.7`, right: CNAME },
  },
  conflicting_records: {
    title: 'Other records are beside the CNAME record.',
    means:
      'A CNAME has to be alone at its name. Resolvers follow one record or the other, so the name works by chance.',
    causes: 'The CNAME record was added, and the old A record, or an old CNAME record, was kept.',
    fix: 'Delete the other records of the name and keep the CNAME record.',
    example: { seen: `${CNAME}\n${NAME} A 192.0.2.7`, right: CNAME },
  },
  proxied_without_txt: {
    title: 'The DNS provider hides the CNAME record, and there is no TXT record.',
    means: 'Hidden records cannot be read back. The TXT record alone verifies such a domain.',
    causes:
      'The provider proxies the name (Cloudflare: orange cloud), or publishes the addresses of the target in place of the CNAME.',
    fix: 'Publish the TXT record, or switch the proxy off (Cloudflare: "DNS only").',
    example: { seen: `${NAME} A 104.16.1.2`, right: TXT },
  },
  txt_missing: {
    title: 'The TXT record is not published.',
    means:
      'The domain cannot be verified without it. A whole domain, such as `example.com`, always needs it; so does a name that another account of this service holds.',
    causes: 'Nobody has published it yet, or it was published at another provider.',
    fix: 'Publish the TXT record at the provider that runs the nameservers that the finding names.',
    example: { seen: 'no record', right: TXT },
  },
  txt_wrong_value: {
    title: 'The TXT record has another value.',
    means:
      'None of the TXT records at the name has the value that proves ownership. Values that belong to other services, such as SPF, may stay.',
    causes: 'The value is mistyped, has other text around it, or was never added beside the others.',
    fix: 'Correct the value, or add another TXT record with it.',
    example: txt(VALUE.replace('Q8', 'O8')),
  },
  txt_quoted: {
    title: 'The TXT value has quotation marks in it.',
    means: 'The quotation marks are part of the value, so the value differs.',
    causes: 'The value was entered with quotation marks, and the DNS panel adds its own.',
    fix: 'Enter the value without quotation marks.',
    example: txt(`\\"${VALUE}\\"`),
  },
  txt_case: {
    title: 'The TXT value differs in upper and lower case.',
    means: 'In a TXT value upper-case and lower-case letters are different characters.',
    causes: 'A program or a person wrote it in lower case, as is usual for names.',
    fix: COPY,
    example: txt(VALUE.toLowerCase()),
  },
  txt_invisible: {
    title: 'The TXT value has spaces or invisible characters in it.',
    means: 'They are part of the value, so it is another one, although it looks the same.',
    causes: 'They were copied from an e-mail, a document or a web page.',
    fix: 'Type the value, or copy it from `dnsRecords` through a plain text editor.',
    example: txt(`${VALUE} `),
  },
  txt_encoded: {
    title: 'The TXT value has encoded characters in it.',
    means: 'Characters were replaced by codes, such as `=` by `%3D`, so it is another value.',
    causes: 'The value was copied from a URL, from the source of a web page, or from a file.',
    fix: COPY,
    example: txt(VALUE.replace('=', '%3D')),
  },
  txt_stale: {
    title: 'The TXT record has the value of another or an earlier domain.',
    means: 'The value has the right form, and a token that does not belong to this domain.',
    causes:
      'The domain was deleted and added again, which makes a new token; or the value of another domain was copied.',
    fix: COPY,
    example: txt('service-domain-verify=Aa1Bb2Cc3Dd4Ee5Ff6Gg7Hh8'),
  },
  txt_other_domain: {
    title: 'The TXT record has the value of another domain of this account.',
    means: 'Each domain has a token of its own.',
    causes: 'The value was copied from the other domain.',
    fix: COPY,
    example: txt('service-domain-verify=Aa1Bb2Cc3Dd4Ee5Ff6Gg7Hh8'),
  },
  txt_truncated: {
    title: 'A part of the TXT value is missing.',
    means: 'Only a part of the value was published.',
    causes: 'It was not copied to its end, or only the token was copied, without what stands before it.',
    fix: COPY,
    example: txt(TOKEN),
  },
  wildcard_answers: {
    title: 'The answer comes from a wildcard record.',
    means: 'The name has no record of its own. A record for `*` answers for every name that does not exist.',
    causes: 'The zone has a wildcard record, and the record of this name was not published yet.',
    fix: 'Publish the record under its own name. It takes precedence over the wildcard record, which may stay.',
    example: { seen: '*.example.com. CNAME old-shop.example.org.', right: CNAME },
  },
  cname_at_apex: {
    title: 'There is a CNAME record at the name of the zone itself.',
    means: 'The name of a zone has other records, and a CNAME hides them: e-mail and the zone itself may stop working.',
    causes: 'A CNAME record was entered where only an ALIAS record, or addresses, are possible.',
    fix: 'Delete the CNAME record. Use the record that the provider calls ALIAS, ANAME or flattened CNAME. Or use A and AAAA records with the addresses that its note in `dnsRecords` names.',
    example: { seen: `example.com. CNAME ${TARGET}.`, right: `example.com. ALIAS ${TARGET}.` },
  },
  apex_elsewhere: {
    title: 'The addresses of the domain do not belong to this service.',
    means: 'The TXT record verifies the domain. Its visitors go to another server, unless a proxy passes them on.',
    causes: 'The A or AAAA records of the former server were kept.',
    fix: 'Replace them by an ALIAS record with the target, or by the addresses that its note in `dnsRecords` names.',
    example: { seen: 'example.com. A 192.0.2.7', right: `example.com. ALIAS ${TARGET}.` },
  },
  flattened: {
    title: 'The provider publishes addresses in place of the record (flattening).',
    means:
      'The name has the addresses of its target. That works. But the record itself cannot be seen, so its `verified` stays false.',
    causes: 'The provider answers with the addresses of the target in place of the CNAME or ALIAS record.',
    fix: 'Nothing has to be done as long as the TXT record is published: it verifies the domain.',
  },
  proxied: {
    title: 'The name is proxied.',
    means:
      'The name has the addresses of a proxy. That works as long as the proxy passes visitors on to the target. The record itself cannot be seen, so its `verified` stays false.',
    causes: 'The provider proxies the name (Cloudflare: orange cloud).',
    fix: 'Nothing has to be done as long as the TXT record is published: it verifies the domain.',
  },
  challenge_missing: {
    title: 'The CNAME record for certificates is not published.',
    means:
      'The certificate of a wildcard needs a proof over DNS, by a CNAME record at `_acme-challenge` that leads to this service. Without it there is no certificate, and visitors see an error.',
    causes:
      'It was left out, because it does not look necessary for visitors. Or a TXT record of another program is at its name.',
    fix: 'Publish the third record of `dnsRecords`, and delete any other record at its name. It stays: each renewal needs it.',
    example: { seen: 'no record', right: CHALLENGE },
  },
  challenge_elsewhere: {
    title: 'The CNAME record for certificates leads elsewhere.',
    means: 'A certificate authority asks another service for the proof, so there is no certificate.',
    causes:
      'The record is of another service, or of this domain before it was deleted and added again; or the value is mistyped.',
    fix: EDIT_CNAME,
    example: { seen: `${CHALLENGE_NAME} CNAME k7q2m9x4c1v8b3n6.acme.example.org.`, right: CHALLENGE },
  },
  challenge_proxied: {
    title: 'The CNAME record for certificates is proxied.',
    means: 'The name has the addresses of a proxy in place of the CNAME, so no certificate authority finds the proof.',
    causes: 'The provider proxies every new record (Cloudflare: orange cloud).',
    fix: 'Turn the proxy off for this record (Cloudflare: grey cloud, "DNS only").',
    example: { seen: `${CHALLENGE_NAME} A 104.16.1.2`, right: CHALLENGE },
  },
  name_not_punycode: {
    title: 'The record is at a name with special characters.',
    means:
      'In DNS, names with letters other than a to z are written in their `xn--` form (Punycode). The record is at another name.',
    causes: 'The name was entered with its special characters, and the DNS panel did not convert it.',
    fix: 'Enter the name in its `xn--` form, as in `dnsRecords`.',
    example: { seen: 'm\\195\\188ller.example.com. CNAME …', right: 'xn--mller-kva.example.com. CNAME …' },
  },
};
