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
  'If other nameservers of the zone answer, this does no harm at present. If none does, the records cannot be read.';

/** Possible mistakes of the zone, of its nameservers, and around it. */
export const ZONE_TEXTS: Record<ZoneCode, FindingText> = {
  zone_not_registered: {
    title: 'The domain is not registered.',
    means: 'The registry says that the domain does not exist, so nobody can see its records.',
    causes:
      'The domain was never registered, has expired, or has no nameservers at the registrar. Or its name is mistyped.',
    fix: 'Register or renew the domain at a registrar, and set its nameservers.',
  },
  zone_parked: {
    title: 'The domain is parked.',
    means: 'Its nameservers belong to a service that shows advertisements, where you cannot publish records.',
    causes: 'The domain was offered for sale, or has never been used.',
    fix: 'At the registrar, change the nameservers to those of a DNS provider, and publish the records there.',
    example: { seen: 'example.com. NS ns1.sedoparking.com.', right: 'example.com. NS ns1.provider.example.' },
  },
  zone_elsewhere: {
    title: 'The zone is edited at a provider that the registrar does not name.',
    means:
      'The registrar names the nameservers of one provider, and the zone names those of another. Records that exist only at the second provider are not seen.',
    causes: 'The domain was moved to another provider, and the nameservers at the registrar were not changed.',
    fix: 'At the registrar, set the nameservers of the provider that has the records. Or publish the records at the provider that the registrar names.',
    example: {
      seen: 'at the registrar:  example.com. NS ns1.old-provider.example.\nin the zone:       example.com. NS ns1.new-provider.example.',
      right: 'in both:           example.com. NS ns1.new-provider.example.',
    },
  },
  delegation_mismatch: {
    title: 'The registrar and the zone name different nameservers.',
    means:
      'Some resolvers ask the nameservers that the registrar names, others those that the zone names. This works as long as all of them have the records.',
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
      'Some nameservers have the record and others do not, or one answers differently each time. The record counts once all of them have it.',
    causes:
      'A change has not reached all nameservers yet, which takes minutes. Or a nameserver is left over from a former provider and gets no changes.',
    fix: 'Wait a few minutes. If this does not help, correct the nameservers that are out of date, or remove them at the registrar.',
    example: { seen: 'ns1.provider.example: the record\nns2.provider.example: no record', right: 'the same at both' },
  },
  record_below_cut: {
    title: 'The name is in a zone of its own, and the record is not there.',
    means:
      'A part of the domain has its own nameservers. For names in that part, nobody looks at the records of the parent zone.',
    causes: 'NS records delegate that part to another DNS provider, but the record was published in the parent zone.',
    fix: 'Publish the record in the zone that the finding names. If that zone is not in use, delete its NS records in the parent zone.',
    example: {
      seen: 'eu.example.com. NS ns1.other.example.\nshop.eu.example.com. CNAME … (in the zone example.com)',
      right: 'shop.eu.example.com. CNAME … (in the zone eu.example.com)',
    },
  },
  resolvers_unreachable: {
    title: 'The DNS resolvers of this service give no usable answer.',
    means: 'The records could not be read. This does not mean that anything is wrong with the domain.',
    causes: 'The resolvers in the configuration of this service are down, cannot be reached, or refuse to answer.',
    fix: 'Owners of the domain have nothing to do: checks continue by themselves. Operators of this service can run `nameplate doctor`, which names the resolvers that fail, and set others in `NAMEPLATE_DNS_RESOLVERS`.',
  },
  nameserver_refused: {
    title: 'A nameserver refuses to answer.',
    means: `It answers REFUSED: it does not know the zone, or it answers only some clients. ${UNREAD}`,
    causes: 'The zone was deleted at the provider, or was never created there.',
    fix: 'Create the zone at that provider. Or set the nameservers of the right provider at the registrar.',
  },
  nameserver_lame: {
    title: 'A nameserver does not serve the zone.',
    means: `It answers, but not for this zone (a lame delegation). ${UNREAD}`,
    causes: 'The registrar names a nameserver on which the zone is not set up.',
    fix: 'Create the zone at that provider. Or set the nameservers of the right provider at the registrar.',
  },
  nameserver_servfail: {
    title: 'A nameserver answers with a failure.',
    means: `It answers SERVFAIL: it could not look up the record. ${UNREAD}`,
    causes:
      'The zone has an error and was not loaded, or its copy on a secondary nameserver is too old. Or the server is overloaded or broken.',
    fix: 'Check the zone at the DNS provider, or ask the provider.',
  },
  nameserver_timeout: {
    title: 'A nameserver does not answer in time.',
    means: `No response came. ${UNREAD}`,
    causes: 'The server is down, a firewall drops the queries, or it is too busy.',
    fix: 'Ask the DNS provider for the cause, or remove the nameserver at the registrar.',
  },
  nameserver_not_found: {
    title: 'A nameserver has no IP address.',
    means: `Its name does not exist or has no address, so nobody can query it. ${UNREAD}`,
    causes: 'The name is mistyped at the registrar, or the provider has shut down the nameserver.',
    fix: 'Correct the names of the nameservers at the registrar.',
  },
  nameserver_unreachable: {
    title: 'A nameserver cannot be reached.',
    means: `No packet can be sent to its address. ${UNREAD}`,
    causes: 'The server is off or refuses connections, or its address is not in use.',
    fix: 'Ask the DNS provider for the cause, or remove the nameserver at the registrar.',
  },
  nameserver_private: {
    title: 'A nameserver has a private or special IP address.',
    means: `The service never queries such an address, because it does not lead to a server on the Internet. ${UNREAD}`,
    causes: 'The registrar names a nameserver of an internal network.',
    fix: 'Give the nameserver a public IP address, or use another one.',
  },
  nameserver_tcp: {
    title: 'A nameserver does not answer over TCP.',
    means: `Large answers need TCP, and the server accepts no TCP connection. ${UNREAD}`,
    causes: 'A firewall blocks TCP port 53.',
    fix: 'Open TCP port 53 at the nameserver.',
  },
  nameserver_malformed: {
    title: 'A nameserver sends responses that are not valid DNS.',
    means: `Its responses cannot be read. ${UNREAD}`,
    causes: 'The server software has a bug, or something on the way changes the responses.',
    fix: 'Ask the DNS provider for the cause, or remove the nameserver at the registrar.',
  },
  dnssec_bogus: {
    title: 'The DNSSEC of the zone is broken.',
    means:
      'Its records are signed, but the signatures are wrong. Resolvers that check signatures reject the records, so many visitors cannot reach the domain. Such a record never counts for verification.',
    causes:
      'The domain was moved to another provider, but the old DS record stayed at the registrar. Or the signatures have expired.',
    fix: 'At the registrar, remove the DS record, or replace it with the one that the DNS provider shows. Or sign the zone again. Resolvers can take some minutes to notice.',
  },
  caa_forbids: {
    title: 'CAA records forbid our certificate authority.',
    means: 'The domain can be verified, but no certificate can be issued for it, so it is not served over HTTPS.',
    causes: 'The domain has CAA records that name only other certificate authorities.',
    fix: 'Add a CAA record for the certificate authority that the finding names. The others can stay.',
    example: {
      seen: 'example.com. CAA 0 issue "other-ca.example"',
      right: 'example.com. CAA 0 issue "letsencrypt.org"',
    },
  },
  held_elsewhere: {
    title: 'The name is verified for another account of this service.',
    means:
      'In the API, an account is a workspace. The name moves to this account when the nameservers of the zone have its records, and no longer have those of the other account. While no nameserver answers, the name stays where it is.',
    causes: 'A former agency or platform of yours added the name there, or somebody else in your organization did.',
    fix: 'Publish both records of this domain, and remove those of the other account. If this domain was added before the name was verified there, delete it here and add it again.',
  },
  stale_cache: {
    title: 'Resolvers still answer from their caches.',
    means: 'The nameservers have the new record, but some visitors get the old answer until it expires.',
    causes: 'Resolvers cache answers, including "does not exist", for the time that the zone sets.',
    fix: 'Wait until the time in the finding.',
  },
  other_certificate: {
    title: 'Visitors reach another server or get the wrong certificate.',
    means:
      'Seen from outside, another server answers at an address of the name. Or requests reach this service through a proxy whose certificate browsers refuse.',
    causes:
      'The record of a former server was not deleted. Or the certificate of a proxy is self-signed or for another name.',
    fix: 'Replace the address records with the record in `dnsRecords`, or replace the certificate at the proxy. A proxy that passes requests on and has a certificate that browsers accept can stay.',
  },
  certificate_expired_outside: {
    title: 'Visitors get a certificate that has expired.',
    means:
      'Requests reach this service through a proxy whose own certificate has expired, so browsers refuse the site.',
    causes: 'Nobody renews the certificate at the proxy or load balancer in front of this service.',
    fix: 'Renew the certificate there. Or let connections pass through to this service, which renews its own certificates.',
  },
  tls_unreachable: {
    title: 'Visitors get no HTTPS connection.',
    means: 'Seen from outside, an address of the name gives no connection, TLS handshake or response at port 443.',
    causes: 'The server or proxy is down, a firewall blocks port 443, or the address is no longer in use.',
    fix: 'Open port 443 there, or replace the address records with the record in `dnsRecords`.',
  },
};
