/** How well-known CAs identify themselves in CAA records, by the host of their directory. From their documentation. */
const KNOWN: readonly [host: RegExp, names: readonly string[]][] = [
  [/(?:^|\.)api\.letsencrypt\.org$/, ['letsencrypt.org']],
  [/(?:^|\.)pki\.goog$/, ['pki.goog']],
  [/(?:^|\.)zerossl\.com$/, ['sectigo.com']],
  [/(?:^|\.)ssl\.com$/, ['ssl.com']],
  [/(?:^|\.)buypass\.com$/, ['buypass.com']],
];

/**
 * The names by which CAA records may allow the CA with this directory, for a process that does not talk to it; empty if
 * unknown. A process that orders certificates reads them from the directory instead.
 */
export function knownCaaNames(directoryUrl: string): readonly string[] {
  const { hostname } = new URL(directoryUrl);
  return KNOWN.find(([host]) => host.test(hostname))?.[1] ?? [];
}
