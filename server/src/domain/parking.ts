import type { DnsProvider } from './providers.ts';

/**
 * Nameservers of zones that nobody can publish records in. Pure data. Parking services: the list `parking-domain-ns` of MISP's warning lists
 * (version 20221024), without those that also have customers' zones. Expired registrations: help pages and WHOIS entries of the registrars.
 */
const PARKING = {
  parked: {
    Sedo: ['sedoparking.com'],
    Bodis: ['bodis.com'],
    ParkingCrew: ['parkingcrew.net'],
    'Above.com': ['above.com'],
    Afternic: ['afternic.com'],
    'Dan.com': ['dan.com', 'undeveloped.com'],
    ParkLogic: ['parklogic.com'],
    Uniregistry: ['uniregistrymarket.link'],
    DomainMarket: ['domainmarket.com'],
    'a parking service': ['dsredirection.com', 'dsredirects.com', 'ztomy.com', 'cashparking.com'],
  },
  expired: {
    'Network Solutions': ['pendingrenewaldeletion.com'],
    Tucows: ['renewyourname.net'],
    'Onamae.com': ['onamae-expired.com'],
    NameBright: ['expired1.namebrightdns.com', 'expired2.namebrightdns.com'],
    'Alibaba Cloud': [/^expirens\d+\.hichina\.com$/],
    'DomainName.com': ['renewyourdomain.at.domainname.com'],
  },
} satisfies Record<NonNullable<DnsProvider['parking']>, Record<string, DnsProvider['nameservers']>>;

export const PARKING_PROVIDERS: DnsProvider[] = (['parked', 'expired'] as const).flatMap((parking) =>
  Object.entries(PARKING[parking]).map(
    ([name, nameservers]): DnsProvider => ({ id: `${parking}:${name}`, name, nameservers, apex: '@', parking }),
  ),
);
