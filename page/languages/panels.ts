export type Paths = Record<string, (zone: string) => string>;

/** The place where records are added, by the id of the provider. Panels change: it is a hint. */
const PANELS: Paths = {
  cloudflare: (zone) => `${zone} › DNS › Records`,
  route53: (zone) => `Hosted zones › ${zone}`,
  godaddy: (zone) => `Domain Portfolio › ${zone} › DNS`,
  namecheap: (zone) => `Domain List › ${zone} › Manage › Advanced DNS`,
  squarespace: (zone) => `Domains › ${zone} › DNS › DNS Settings › Custom records`,
  ionos: (zone) => `Domains & SSL › ${zone} › DNS`,
  ovh: (zone) => `Domain names › ${zone} › DNS zone`,
  gandi: (zone) => `Domain › ${zone} › DNS Records`,
  hetzner: (zone) => `DNS › ${zone} › Records`,
  digitalocean: (zone) => `Networking › Domains › ${zone}`,
  vercel: (zone) => `Domains › ${zone} › DNS Records`,
  azure: (zone) => `DNS zones › ${zone} › Record sets`,
  namecom: (zone) => `My Domains › ${zone} › Manage DNS Records`,
  porkbun: (zone) => `Domain Management › ${zone} › DNS`,
  strato: (zone) => `Domains › Manage domains › ${zone} › DNS`,
  hostinger: (zone) => `Domains › ${zone} › DNS / Nameservers › DNS records`,
  wix: (zone) => `Domains › ${zone} › Manage DNS records`,
  bluehost: (zone) => `Domains › ${zone} › DNS › Manage DNS records`,
  dnsimple: (zone) => `${zone} › DNS › Manage records`,
  dnsmadeeasy: (zone) => `DNS › Managed DNS › ${zone} › Records`,
};

/** Returns the path of a provider; undefined where it is not known. `own`: what panels say in the language of the page. */
export function pathIn(own: Paths, id: string | undefined, zone: string): string | undefined {
  const paths = { ...PANELS, ...own };
  return id !== undefined && Object.hasOwn(paths, id) ? paths[id]?.(zone) : undefined;
}
