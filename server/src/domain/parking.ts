/**
 * Nameservers of zones that nobody can publish records in. Pure data. Parking services: the list `parking-domain-ns` of MISP's warning lists
 * (version 20221024), without those that also have customers' zones. Expired registrations: help pages and WHOIS entries of the registrars.
 */
export const PARKING_PROVIDERS = [
  { id: 'sedo', name: 'Sedo', nameservers: ['sedoparking.com'], apex: '@', parking: 'parked' },
  { id: 'bodis', name: 'Bodis', nameservers: ['bodis.com'], apex: '@', parking: 'parked' },
  { id: 'parkingcrew', name: 'ParkingCrew', nameservers: ['parkingcrew.net'], apex: '@', parking: 'parked' },
  { id: 'above', name: 'Above.com', nameservers: ['above.com'], apex: '@', parking: 'parked' },
  { id: 'afternic', name: 'Afternic', nameservers: ['afternic.com'], apex: '@', parking: 'parked' },
  { id: 'dan', name: 'Dan.com', nameservers: ['dan.com', 'undeveloped.com'], apex: '@', parking: 'parked' },
  { id: 'parklogic', name: 'ParkLogic', nameservers: ['parklogic.com'], apex: '@', parking: 'parked' },
  { id: 'uniregistry', name: 'Uniregistry', nameservers: ['uniregistrymarket.link'], apex: '@', parking: 'parked' },
  { id: 'domainmarket', name: 'DomainMarket', nameservers: ['domainmarket.com'], apex: '@', parking: 'parked' },
  {
    id: 'netsol',
    name: 'Network Solutions',
    nameservers: ['pendingrenewaldeletion.com'],
    apex: '@',
    parking: 'expired',
  },
  { id: 'tucows', name: 'Tucows', nameservers: ['renewyourname.net'], apex: '@', parking: 'expired' },
  { id: 'onamae', name: 'Onamae.com', nameservers: ['onamae-expired.com'], apex: '@', parking: 'expired' },
  {
    id: 'namebright',
    name: 'NameBright',
    nameservers: [/^expired\d\.namebrightdns\.com$/],
    apex: '@',
    parking: 'expired',
  },
  { id: 'alibaba', name: 'Alibaba Cloud', nameservers: [/^expirens\d\.hichina\.com$/], apex: '@', parking: 'expired' },
] as const;
