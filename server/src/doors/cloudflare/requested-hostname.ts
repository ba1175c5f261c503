import { badInput, notAllowed } from './envelope.ts';

/** A request to create or edit a custom hostname. docs/reference/compat-cloudflare.md has every field. */
export interface RequestedHostname {
  hostname?: unknown;
  /** Checked by the operation that gets it. */
  metadata?: Record<string, unknown> | null;
  /** The request has an `ssl`: where nothing of it differs, the vendor validates again. */
  validates: boolean;
  minTlsVersion?: '1.2' | '1.3';
}

type Fields = Record<string, unknown>;

const OWN_CERTIFICATES = ['custom_certificate', 'custom_key', 'custom_csr_id', 'custom_cert_bundle'];
const TLS_VERSIONS = ['1.0', '1.1', '1.2', '1.3'];

/** Values that are accepted, and the code for any other. */
const SSL: Record<string, { code: number; values: readonly unknown[] }> = {
  type: { code: 1433, values: ['dv'] },
  method: { code: 1432, values: ['http', 'txt'] },
  bundle_method: { code: 1449, values: ['ubiquitous', 'optimal', 'force'] },
  wildcard: { code: 1448, values: [false] },
  cloudflare_branding: { code: 1434, values: [false] },
  certificate_authority: { code: 1434, values: ['digicert', 'google', 'lets_encrypt', 'ssl_com'] },
};
const SETTINGS: typeof SSL = {
  http2: { code: 1422, values: ['on'] },
  tls_1_3: { code: 1424, values: ['on'] },
  early_hints: { code: 1434, values: ['on', 'off'] },
  min_tls_version: { code: 1425, values: TLS_VERSIONS },
};

/** Throws a `Problem` for what this door does not have. */
export function requestedHostname(body: unknown): RequestedHostname {
  const { hostname, custom_metadata, custom_origin_server, custom_origin_sni, ssl } = fieldsOf(body, '', 1400);
  for (const [name, value] of Object.entries({ custom_origin_server, custom_origin_sni })) {
    if (value == null) continue;
    const instead = 'Set the origin of a single domain with domains.updateDomain (settings.origin).';
    throw notAllowed(1414, `Access to setting ${name} has not been granted. ${instead}`);
  }
  const settings = ssl == null ? undefined : checkedSsl(fieldsOf(ssl, 'ssl', 1434));
  return {
    hostname,
    ...(custom_metadata !== undefined && {
      metadata: custom_metadata === null ? null : fieldsOf(custom_metadata, 'custom_metadata', 1401),
    }),
    validates: settings !== undefined,
    ...(settings?.min_tls_version !== undefined && {
      minTlsVersion: settings.min_tls_version === '1.3' ? '1.3' : '1.2',
    }),
  };
}

function checkedSsl(ssl: Fields): Fields {
  const own = OWN_CERTIFICATES.find((name) => ssl[name] != null);
  if (own !== undefined) {
    throw notAllowed(1434, `ssl.${own} is not supported here. Upload a certificate with domains.uploadCertificate.`);
  }
  check(ssl, SSL, 'ssl');
  const settings = ssl.settings == null ? {} : fieldsOf(ssl.settings, 'ssl.settings', 1434);
  check(settings, SETTINGS, 'ssl.settings');
  return settings;
}

function check(fields: Fields, allowed: typeof SSL, place: string): void {
  for (const [name, { code, values }] of Object.entries(allowed)) {
    const value = fields[name];
    if (value == null || values.includes(value)) continue;
    const shown = values.map((each) => JSON.stringify(each)).join(', ');
    throw badInput(code, `${place}.${name} is not supported with this value. Only ${shown} is accepted here.`);
  }
}

function fieldsOf(value: unknown, place: string, code: number): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw badInput(code, `${place === '' ? 'The request body' : place} must be a JSON object. Check your input.`);
}
