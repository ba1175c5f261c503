import type { FindingCode } from '../finding.ts';
import type { FindingText } from './record-texts.ts';

type ZoneCode = Extract<
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

const UNREAD =
  'If other nameservers of the zone answer, this prevents nothing now. If none does, the records cannot be read.';

/** Possible mistakes of the zone, of its nameservers, and around it. */
export const ZONE_TEXTS: Record<ZoneCode, FindingText> = {
  zone_not_registered: {
    title: 'The domain is not registered.',
    means: 'The registry says that the domain does not exist. No record of it can be seen.',
    causes: 'It was never registered, has expired, has no nameservers at the registrar, or its name is mistyped.',
    fix: 'Register or renew the domain at a registrar and set its nameservers.',
  },
  zone_parked: {
    title: 'The domain is parked.',
    means: 'Its nameservers belong to a service that shows advertisements. Records cannot be published there.',
    causes: 'The domain was offered for sale, or has never been used.',
    fix: 'At the registrar, change the nameservers to those of a DNS provider, and publish the records there.',
    example: { seen: 'example.com. NS ns1.sedoparking.com.', right: 'example.com. NS ns1.provider.example.' },
  },
  zone_elsewhere: {
    title: 'The zone is edited at another provider than the one that is asked.',
    means:
      'The registrar sends all questions to one provider, and the zone names another one. Records that are published only at the other one are not seen.',
    causes: 'The domain was moved to another provider, and the nameservers at the registrar were not changed.',
    fix: 'At the registrar, set the nameservers of the provider where the records are; or publish the records where the registrar points.',
    example: {
      seen: 'at the registrar:  example.com. NS ns1.old-provider.example.\nin the zone:       example.com. NS ns1.new-provider.example.',
      right: 'in both:           example.com. NS ns1.new-provider.example.',
    },
  },
  delegation_mismatch: {
    title: 'The registrar and the zone name different nameservers.',
    means:
      'Some resolvers ask the nameservers that the registrar names, others those that the zone names. It works as long as all of them have the records.',
    causes: 'A nameserver was added or removed at one of the two places only.',
    fix: 'Make both lists the same.',
    example: {
      seen: 'at the registrar:  ns1.provider.example, ns2.provider.example\nin the zone:       ns1.provider.example, ns3.provider.example',
      right: 'in both:           ns1.provider.example, ns3.provider.example',
    },
  },
  nameservers_disagree: {
    title: 'The nameservers of the zone do not agree on the record.',
    means:
      'Some nameservers have the record and others do not, or one answers differently each time. It is verified as soon as all of them have it.',
    causes:
      'A change is on its way to the other nameservers, which takes minutes. Or one of them gets no changes any more, because it is left over from a former provider.',
    fix: 'Wait a few minutes. If it lasts, correct the nameservers that are behind, or remove them at the registrar.',
    example: { seen: 'ns1.provider.example: the record\nns2.provider.example: no record', right: 'the same at both' },
  },
  record_below_cut: {
    title: 'The name is in a zone of its own, and the record is not there.',
    means:
      'A part of the domain has nameservers of its own. For names in that part, nobody looks at the records of the zone above.',
    causes: 'NS records hand that part over to another DNS provider, and the record was published in the zone above.',
    fix: 'Publish the record in the zone that the finding names. If that zone is not used any more, delete the NS records in the zone above.',
    example: {
      seen: 'eu.example.com. NS ns1.other.example.\nshop.eu.example.com. CNAME … (in the zone example.com)',
      right: 'shop.eu.example.com. CNAME … (in the zone eu.example.com)',
    },
  },
  resolvers_unreachable: {
    title: 'The DNS resolvers of this service give no usable answer.',
    means: 'The records could not be looked at. Nothing is known to be wrong with the domain.',
    causes: 'The resolvers that the operator of this service has set are down, cannot be reached, or refuse to answer.',
    fix: 'The owner of the domain has nothing to do: checks go on by themselves. The operator runs `nameplate doctor`, which names the resolvers that fail, and lists others in `NAMEPLATE_DNS_RESOLVERS`.',
  },
  nameserver_refused: {
    title: 'A nameserver refuses to answer.',
    means: `It answers REFUSED: it does not know the zone, or does not answer everybody. ${UNREAD}`,
    causes: 'The zone was deleted at the provider, or was never created there.',
    fix: 'Create the zone at that provider, or set the nameservers of the right provider at the registrar.',
  },
  nameserver_lame: {
    title: 'A nameserver does not serve the zone.',
    means: `It answers, but not for this zone (called a lame delegation). ${UNREAD}`,
    causes: 'The registrar names a nameserver on which the zone is not set up.',
    fix: 'Create the zone at that provider, or set the nameservers of the right provider at the registrar.',
  },
  nameserver_servfail: {
    title: 'A nameserver answers with a failure.',
    means: `It answers SERVFAIL: it could not look up the record. ${UNREAD}`,
    causes:
      'The zone has an error and was not loaded, or its copy on a second nameserver is too old. Or the server is overloaded or broken.',
    fix: 'Check the zone at the DNS provider, or ask the provider.',
  },
  nameserver_timeout: {
    title: 'A nameserver does not answer in time.',
    means: `No response came. ${UNREAD}`,
    causes: 'The server is down, a firewall drops the queries, or it is too busy.',
    fix: 'Ask the DNS provider why, or remove the nameserver at the registrar.',
  },
  nameserver_not_found: {
    title: 'A nameserver has no IP address.',
    means: `The name of the nameserver does not exist, so it cannot be asked. ${UNREAD}`,
    causes: 'The name is mistyped at the registrar, or the provider has closed the nameserver.',
    fix: 'Correct the names of the nameservers at the registrar.',
  },
  nameserver_unreachable: {
    title: 'A nameserver cannot be reached.',
    means: `No packet can be sent to its address. ${UNREAD}`,
    causes: 'The server is off, refuses connections, or its address leads nowhere.',
    fix: 'Ask the DNS provider why, or remove the nameserver at the registrar.',
  },
  nameserver_private: {
    title: 'A nameserver has a private or special IP address.',
    means: `Such addresses are never asked, because they do not lead to a server on the Internet. ${UNREAD}`,
    causes: 'A nameserver of an internal network was set at the registrar.',
    fix: 'Give the nameserver a public IP address, or use another one.',
  },
  nameserver_tcp: {
    title: 'A nameserver does not answer over TCP.',
    means: `Large answers are sent over TCP, and the server accepts no TCP connection. ${UNREAD}`,
    causes: 'A firewall blocks TCP port 53.',
    fix: 'Open TCP port 53 at the nameserver.',
  },
  nameserver_malformed: {
    title: 'A nameserver sends responses that are not valid DNS.',
    means: `Its responses cannot be read. ${UNREAD}`,
    causes: 'The server software has an error, or something on the way changes the responses.',
    fix: 'Ask the DNS provider why, or remove the nameserver at the registrar.',
  },
  dnssec_bogus: {
    title: 'DNSSEC of the zone is broken.',
    means:
      'Its records are signed, and the signatures are wrong. Resolvers that check signatures reject them, so many visitors cannot find the domain. Such a record never counts.',
    causes:
      'The domain was moved to another provider while the old DS record was kept at the registrar; or the signatures have expired.',
    fix: 'At the registrar, remove the DS record, or replace it by the one that the DNS provider shows. Or sign the zone again. Resolvers may need some minutes to notice.',
  },
  caa_forbids: {
    title: 'CAA records forbid our certificate authority.',
    means: 'The domain can be verified, but no certificate can be issued for it. So it is not served over HTTPS.',
    causes: 'The domain has CAA records that name other certificate authorities.',
    fix: 'Add a CAA record for the certificate authority that the finding names. The others may stay.',
    example: {
      seen: 'example.com. CAA 0 issue "other-ca.example"',
      right: 'example.com. CAA 0 issue "letsencrypt.org"',
    },
  },
  held_elsewhere: {
    title: 'Another account of this service holds the name.',
    means:
      'The name is verified for another account (in the API: another workspace). It moves here when the nameservers of the zone have the records that prove it, and those of the other account are gone. While no nameserver answers, the name stays where it is.',
    causes: 'A former agency or platform of yours has added the name there, or somebody else in your organization has.',
    fix: 'Publish both records of this domain and remove those of the other account. A domain that was added before the other one was verified has to be deleted and added again.',
  },
  stale_cache: {
    title: 'Resolvers still answer from their caches.',
    means: 'The nameservers have the new record. Some visitors get the old answer until it expires.',
    causes: 'Resolvers keep answers, also "does not exist", for the time that the zone allows.',
    fix: 'Wait until the time that the finding names.',
  },
  other_certificate: {
    title: 'Visitors get a certificate, or a server, that is not ours.',
    means:
      'At an address of the name, seen from outside, another server answers. Or requests reach this service, but a proxy in front of it has a certificate that browsers refuse.',
    causes:
      'The record of a former server was left. Or the certificate of a proxy is for another name, or self-signed.',
    fix: 'Replace the addresses by the record in `dnsRecords`, or the certificate at the proxy. A proxy that passes requests on, with a certificate that browsers accept, is right as it is.',
  },
  certificate_expired_outside: {
    title: 'Visitors get a certificate that has expired.',
    means: 'Requests reach this service through a proxy, whose own certificate has expired. Browsers refuse the site.',
    causes: 'Nobody renews the certificate at the proxy or load balancer in front of this service.',
    fix: 'Renew it there, or let connections pass through to this service, which renews its certificates by itself.',
  },
  tls_unreachable: {
    title: 'Visitors get no HTTPS connection.',
    means:
      'At an address of the name, seen from outside, there is no connection, TLS handshake or response at port 443.',
    causes: 'The server or proxy is down, a firewall blocks port 443, or the address is not in use any more.',
    fix: 'Open port 443 there, or replace the addresses by the record in `dnsRecords`.',
  },
};
