/** Settings of one domain, which the edge applies to its site. A setting that is absent is not set. */
export interface SiteSettings {
  /** Where its traffic goes, in place of its environment's deployment: `http://host[:port]` or `https://host[:port]`. */
  origin?: string;
  /** The policy that its HTTPS responses declare. */
  hsts?: Hsts;
  /** The lowest version of TLS that visitors may use. */
  minTlsVersion?: TlsVersion;
  /** False: HTTP requests go to the origin, too. */
  redirectToHttps?: boolean;
}

/** A change of settings: what is absent stays, null removes. */
export type SiteSettingsPatch = { [Name in keyof SiteSettings]?: SiteSettings[Name] | null };

/** HTTP Strict Transport Security (RFC 6797). */
export interface Hsts {
  /** For how many seconds browsers use only HTTPS; 0 ends a policy that they have stored. */
  maxAge: number;
  includeSubDomains?: boolean;
  /** Whether browser vendors may put the name on the lists in their programs (hstspreload.org). */
  preload?: boolean;
}

export const TLS_VERSIONS = ['1.2', '1.3'] as const;

export type TlsVersion = (typeof TLS_VERSIONS)[number];

/** Two years, in seconds: the longest that preload lists recommend. */
export const MAX_HSTS_AGE = 63_072_000;

/** A year, in seconds: preload lists accept nothing shorter. */
export const MIN_PRELOAD_AGE = 31_536_000;

/** Whether preload lists would accept a policy. */
export function isPreloadable({ maxAge, includeSubDomains }: Hsts): boolean {
  return maxAge >= MIN_PRELOAD_AGE && includeSubDomains === true;
}

/** The value of `Strict-Transport-Security` (RFC 6797 section 6.1). */
export function hstsField({ maxAge, includeSubDomains, preload }: Hsts): string {
  return `max-age=${maxAge}${includeSubDomains ? '; includeSubDomains' : ''}${preload ? '; preload' : ''}`;
}

/** The settings after a change; null: none is set. */
export function patchSettings(before: SiteSettings | null, patch: SiteSettingsPatch): SiteSettings | null {
  const set = Object.entries({ ...before, ...patch }).filter(([, value]) => value != null);
  return set.length === 0 ? null : Object.fromEntries(set);
}
