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

const COPY = 'Replace the value with the one in `dnsRecords`. Add nothing before or after it.';
const EDIT_CNAME = 'Change the value of the CNAME record to the `value` in `dnsRecords`.';

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
      'Every nameserver that was queried says that there is no such record. Checks continue until it is published.',
    causes:
      'Nobody has published it yet. Or it was published at a provider whose nameservers the domain does not use: the finding names the nameservers that were queried.',
    fix: 'Publish the record at the provider that runs these nameservers.',
    example: { seen: 'no record', right: CNAME },
  },
  name_doubled: {
    title: 'The name of the record contains the zone twice.',
    means: 'The record is at a name below the right one, so nobody finds it.',
    causes:
      'Most DNS panels append the zone to every name. If you enter the full name, the published name contains the zone twice.',
    fix: 'Enter only the part of the name before the zone.',
    example: { seen: `shop.example.com.example.com. CNAME ${TARGET}.`, right: CNAME },
  },
  record_at_other_name: {
    title: 'The record is at the wrong name.',
    means: 'The value is right, but nobody looks for it at this name.',
    causes:
      'The label with the underscore was left out, mistyped or misplaced. Or the record was created for the name with `www` instead of the name without it.',
    fix: 'Change the name of the record to the `name` in `dnsRecords`.',
    example: { seen: `${NAME} TXT "${VALUE}"`, right: TXT },
  },
  cname_at_txt_name: {
    title: 'There is a CNAME record at the name of the TXT record.',
    means: 'A name that is a CNAME cannot have a TXT record of its own.',
    causes: 'The CNAME record was entered with the name of the TXT record, or it belongs to another service.',
    fix: 'Delete the CNAME record at this name and publish the TXT record there.',
    example: { seen: `${TXT_NAME} CNAME ${TARGET}.`, right: TXT },
  },
  records_swapped: {
    title: 'The two records are swapped.',
    means: 'Each record has the name or the value of the other one.',
    causes: 'The two records were mixed up when they were copied.',
    fix: 'Swap the values, or the names, of the two records.',
    example: { seen: `${TXT_NAME} CNAME ${TARGET}.\n${NAME} TXT "${VALUE}"`, right: `${CNAME}\n${TXT}` },
  },
  wrong_type: {
    title: 'The record has the wrong type.',
    means: 'The value is right, but the record has another type.',
    causes: 'The wrong type was chosen in the DNS panel: TXT or NS instead of CNAME, or CNAME instead of TXT.',
    fix: 'Delete the record, and add one with the right type and the same value.',
    example: { seen: `${NAME} TXT "${TARGET}"`, right: CNAME },
  },
  cname_elsewhere: {
    title: 'The CNAME record leads to another host.',
    means: 'The record sends visitors to another server. To verify the domain, the CNAME must lead to its target.',
    causes: 'The name still leads to its former host, or the value is mistyped.',
    fix: EDIT_CNAME,
    example: cname('old-shop.example.org.'),
  },
  cname_other_target: {
    title: 'The CNAME record leads to the target of another domain.',
    means: 'The value is a target of this service, but not the one of this domain.',
    causes:
      'The value was copied from another domain, or is mistyped. Or the domain was deleted and added again, which gave it a new target.',
    fix: EDIT_CNAME,
    example: cname('x3x3x3x3x3x3x3x3.cname.example.net.'),
  },
  value_doubled_zone: {
    title: 'The DNS provider has appended the zone to the value of the CNAME.',
    means: 'The CNAME leads to a name that does not exist.',
    causes: 'Some DNS panels treat a value without a dot at its end as a name inside the zone.',
    fix: 'Enter the value with a dot at its end.',
    example: cname(`${TARGET}.example.com.`),
  },
  value_is_url: {
    title: 'The value of the CNAME is a URL.',
    means: 'A CNAME must lead to a host name. No host name contains `https://` or a path.',
    causes: 'The address was copied from a browser.',
    fix: 'Enter only the host name, without `https://` and without a slash.',
    example: cname(`https://${TARGET}.`),
  },
  value_is_address: {
    title: 'The value of the CNAME is an IP address.',
    means: 'A CNAME must lead to a host name, and an IP address is not one.',
    causes: 'The IP address of the server was entered in a CNAME record.',
    fix: EDIT_CNAME,
    example: cname('192.0.2.7.'),
  },
  value_whitespace: {
    title: 'The value of the CNAME contains white space.',
    means: 'The white space becomes part of the name, and no such host exists.',
    causes: 'A space or a line break was copied together with the value.',
    fix: 'Enter the value again, without spaces or line breaks.',
    example: cname(`\\032${TARGET}.`),
  },
  value_quoted: {
    title: 'The value of the CNAME contains quotation marks.',
    means: 'The quotation marks become part of the name, and no such host exists.',
    causes: 'The value was copied with the quotation marks around it.',
    fix: 'Enter the value again, without quotation marks.',
    example: cname(`"${TARGET}".`),
  },
  value_is_txt: {
    title: 'The CNAME has the value of the TXT record.',
    means: 'The CNAME leads to a name that does not exist.',
    causes: 'The two values were mixed up when they were copied.',
    fix: EDIT_CNAME,
    example: cname(`${VALUE.toLowerCase()}.`),
  },
  cname_loop: {
    title: 'The CNAME records lead in a circle.',
    means: 'One or more CNAME records lead the name back to itself, so it has no address.',
    causes: 'Two names have CNAME records that lead to each other.',
    fix: 'Point the CNAME record of the name directly at its target.',
    example: { seen: `${NAME} CNAME www.example.com.\nwww.example.com. CNAME ${NAME}`, right: CNAME },
  },
  cname_chain_too_long: {
    title: 'The name leads through too many CNAME records.',
    means: 'More than 8 CNAME records follow each other. Resolvers give up after a similar number.',
    causes: 'Every service on the way adds its own CNAME.',
    fix: 'Point the CNAME record of the name directly at its target.',
  },
  cname_to_broken_zone: {
    title: 'The CNAME record leads into a zone that cannot be read.',
    means: 'The nameservers of the host in the CNAME do not answer.',
    causes: 'The service that ran the host has closed, or its nameservers are down.',
    fix: EDIT_CNAME,
    example: cname('shop.closed-service.example.'),
  },
  address_instead_of_cname: {
    title: 'The name has an IP address instead of a CNAME record.',
    means:
      'DNS does not show whether these addresses lead here. Without a CNAME record, the TXT record must prove who owns the name.',
    causes:
      'The name still leads to its former server, or somebody entered the addresses of the target. Addresses can change, but the target does not.',
    fix: 'Delete the A and AAAA records of the name, and publish the CNAME record. If a proxy hides the CNAME record, publish the TXT record too.',
    example: { seen: `${NAME} A 192.0.2.7`, right: CNAME },
  },
  conflicting_records: {
    title: 'There are other records at the name of the CNAME record.',
    means:
      'A CNAME must be the only record at its name. Some resolvers follow one record and some the other, so the name works only by chance.',
    causes: 'The CNAME record was added, but the old A or CNAME record was not deleted.',
    fix: 'Delete the other records at the name, and keep the CNAME record.',
    example: { seen: `${CNAME}\n${NAME} A 192.0.2.7`, right: CNAME },
  },
  proxied_without_txt: {
    title: 'The DNS provider hides the CNAME record, and there is no TXT record.',
    means: 'The service cannot read a hidden record, so only the TXT record can verify the domain.',
    causes:
      'The provider proxies the name (Cloudflare: orange cloud), or answers with the addresses of the target in place of the CNAME.',
    fix: 'Publish the TXT record, or turn off the proxy (Cloudflare: "DNS only").',
    example: { seen: `${NAME} A 104.16.1.2`, right: TXT },
  },
  txt_missing: {
    title: 'The TXT record is not published.',
    means:
      'This domain cannot be verified without it. A whole domain, such as `example.com`, always needs it. So does a name that is verified for another account of this service.',
    causes: 'Nobody has published it yet, or it was published at another provider.',
    fix: 'Publish the TXT record at the provider that runs the nameservers that the finding names.',
    example: { seen: 'no record', right: TXT },
  },
  txt_wrong_value: {
    title: 'The TXT record has another value.',
    means:
      'None of the TXT records at the name has the value that proves ownership. TXT records of other services, such as SPF, can stay.',
    causes: 'The value is mistyped, has other text around it, or was never added to the other TXT records.',
    fix: 'Correct the value, or add a TXT record with the right value.',
    example: txt(VALUE.replace('Q8', 'O8')),
  },
  txt_quoted: {
    title: 'The TXT value contains quotation marks.',
    means: 'The quotation marks became part of the value, so it is a different value.',
    causes: 'The value was entered with quotation marks, although the DNS panel adds its own.',
    fix: 'Enter the value without quotation marks.',
    example: txt(`\\"${VALUE}\\"`),
  },
  txt_case: {
    title: 'The TXT value differs in upper and lower case.',
    means: 'In a TXT value, upper-case and lower-case letters are different characters.',
    causes: 'A person or a program changed the value to lower case, as is usual for names.',
    fix: COPY,
    example: txt(VALUE.toLowerCase()),
  },
  txt_invisible: {
    title: 'The TXT value contains spaces or invisible characters.',
    means: 'They are part of the value, so it is a different value, although it looks the same.',
    causes: 'They were copied from an e-mail, a document or a web page.',
    fix: 'Type the value, or copy it from `dnsRecords` through a plain text editor.',
    example: txt(`${VALUE} `),
  },
  txt_encoded: {
    title: 'The TXT value contains encoded characters.',
    means: 'Characters were replaced by codes, such as `=` by `%3D`, so it is a different value.',
    causes: 'The value was copied from a URL, from the source of a web page, or from a file.',
    fix: COPY,
    example: txt(VALUE.replace('=', '%3D')),
  },
  txt_stale: {
    title: 'The TXT record has the value of another domain, or of an earlier one.',
    means: 'The value has the right form, but its token does not belong to this domain.',
    causes:
      'The domain was deleted and added again, which gave it a new token. Or the value of another domain was copied.',
    fix: COPY,
    example: txt('service-domain-verify=Aa1Bb2Cc3Dd4Ee5Ff6Gg7Hh8'),
  },
  txt_other_domain: {
    title: 'The TXT record has the value of another domain of this account.',
    means: 'Each domain has its own token.',
    causes: 'The value was copied from the other domain.',
    fix: COPY,
    example: txt('service-domain-verify=Aa1Bb2Cc3Dd4Ee5Ff6Gg7Hh8'),
  },
  txt_truncated: {
    title: 'A part of the TXT value is missing.',
    means: 'Only a part of the value was published.',
    causes: 'The end was not copied, or only the token was copied, without the text before it.',
    fix: COPY,
    example: txt(TOKEN),
  },
  wildcard_answers: {
    title: 'The answer comes from a wildcard record.',
    means: 'The name has no record of its own, so the wildcard record `*` answers for it.',
    causes: 'The zone has a wildcard record, and the record of this name has not been published yet.',
    fix: 'Publish the record at its own name. It takes precedence over the wildcard record, which can stay.',
    example: { seen: '*.example.com. CNAME old-shop.example.org.', right: CNAME },
  },
  cname_at_apex: {
    title: 'There is a CNAME record at the name of the zone itself.',
    means:
      'The name of a zone needs other records, and a CNAME hides them. E-mail and the zone itself can stop working.',
    causes: 'A CNAME record was entered where only an ALIAS record, or addresses, are possible.',
    fix: 'Delete the CNAME record. Instead, add the record that the provider calls ALIAS, ANAME or flattened CNAME. Or add A and AAAA records with the addresses in the note of the ALIAS record in `dnsRecords`.',
    example: { seen: `example.com. CNAME ${TARGET}.`, right: `example.com. ALIAS ${TARGET}.` },
  },
  apex_elsewhere: {
    title: 'The addresses of the domain do not belong to this service.',
    means: 'The TXT record verifies the domain, but its visitors go to another server, unless a proxy passes them on.',
    causes: 'The A or AAAA records of the former server were not deleted.',
    fix: 'Replace them with an ALIAS record that leads to the target. Or replace them with the addresses in the note of that record in `dnsRecords`.',
    example: { seen: 'example.com. A 192.0.2.7', right: `example.com. ALIAS ${TARGET}.` },
  },
  flattened: {
    title: 'The provider publishes addresses in place of the record (flattening).',
    means:
      'The name has the addresses of its target, which works. But the service cannot see the record itself, so the `verified` of the record stays false.',
    causes: 'The provider answers with the addresses of the target in place of the CNAME or ALIAS record.',
    fix: 'Nothing, as long as the TXT record is published: it verifies the domain.',
  },
  proxied: {
    title: 'The name is proxied.',
    means:
      'The name has the addresses of a proxy. This works as long as the proxy passes visitors on to the target. The service cannot see the record itself, so the `verified` of the record stays false.',
    causes: 'The provider proxies the name (Cloudflare: orange cloud).',
    fix: 'Nothing, as long as the TXT record is published: it verifies the domain.',
  },
  challenge_missing: {
    title: 'The CNAME record for certificates is not published.',
    means:
      'The certificate of a wildcard domain needs a CNAME record at `_acme-challenge` that leads to this service, as a proof over DNS. Without it there is no certificate, and visitors see an error.',
    causes:
      'The record was left out, because visitors do not seem to need it. Or another program has a TXT record at its name.',
    fix: 'Publish the third record of `dnsRecords`, and delete any other record at its name. Keep it: each renewal needs it.',
    example: { seen: 'no record', right: CHALLENGE },
  },
  challenge_elsewhere: {
    title: 'The CNAME record for certificates leads elsewhere.',
    means: 'The certificate authority asks another service for the proof, so there is no certificate.',
    causes:
      'The record belongs to another service, or the value is mistyped. Or the domain was deleted and added again, which gave it a new value.',
    fix: EDIT_CNAME,
    example: { seen: `${CHALLENGE_NAME} CNAME k7q2m9x4c1v8b3n6.acme.example.org.`, right: CHALLENGE },
  },
  challenge_proxied: {
    title: 'The CNAME record for certificates is proxied.',
    means:
      'DNS answers with the addresses of a proxy in place of the CNAME, so the certificate authority does not find the proof.',
    causes: 'The provider proxies new records by default (Cloudflare: orange cloud).',
    fix: 'Turn off the proxy for this record (Cloudflare: grey cloud, "DNS only").',
    example: { seen: `${CHALLENGE_NAME} A 104.16.1.2`, right: CHALLENGE },
  },
  name_not_punycode: {
    title: 'The record is at a name with special characters.',
    means:
      'DNS needs names with letters other than a to z in their `xn--` form (Punycode). So the record is at a different name.',
    causes: 'The name was entered with special characters, and the DNS panel did not convert them.',
    fix: 'Enter the name in its `xn--` form, as in `dnsRecords`.',
    example: { seen: 'm\\195\\188ller.example.com. CNAME …', right: 'xn--mller-kva.example.com. CNAME …' },
  },
};
