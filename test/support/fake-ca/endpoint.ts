/** The resources of an ACME server, which are also its paths. */
export const ENDPOINTS = [
  'directory',
  'nonce',
  'newAccount',
  'account',
  'keyChange',
  'newOrder',
  'order',
  'authorization',
  'challenge',
  'finalize',
  'certificate',
  'revokeCert',
  'renewalInfo',
] as const;
export type Endpoint = (typeof ENDPOINTS)[number];
