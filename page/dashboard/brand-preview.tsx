import type { Brand, Diagnosis, Domain } from '../../client/client.ts';
import { SetupView } from '../setup.tsx';
import { INITIAL_STATE, type SetupState } from '../setup-state.ts';
import { TEXT } from './text.ts';

const DAY_MS = 86_400_000;
const NAME = 'shop.example.com';
const NAMESERVERS = ['ns1.example.net', 'ns2.example.net'];
const ID = '01m7xe5hbje00ahfe7x31hr0wx';

const DOMAIN: Domain = {
  id: `dom_${ID}`,
  domain: NAME,
  projectId: `proj_${ID}`,
  appId: `app_${ID}`,
  environmentId: `env_${ID}`,
  status: 'verifying',
  dnsRecords: [
    { type: 'CNAME', name: NAME, value: 'y2uehzjxc0frr9ivucwc.cname.example.net', ttl: 60, verified: false },
    { type: 'TXT', name: `_proof.${NAME}`, value: 'proof=lIvwgnrfwUaY2uPCJ6Vaipt4', ttl: 60, verified: false },
  ],
  createdAt: 0,
};

const absent = NAMESERVERS.map((nameserver) => ({ nameserver, outcome: 'nxdomain' as const, values: [] }));

const DIAGNOSIS: Diagnosis = {
  domainId: DOMAIN.id,
  domain: NAME,
  status: 'verifying',
  records: DOMAIN.dnsRecords.map(({ type, name, value }, at) => ({
    record: at === 0 ? ('routing' as const) : ('ownership' as const),
    type,
    name,
    nameInZone: name.replace(/\.?example\.com$/, ''),
    expected: value,
    valueInZone: value,
    verified: false,
    needed: 'yes' as const,
    seen: absent,
  })),
  zone: { name: 'example.com', registered: true, nameservers: [] },
  findings: [],
  schedule: { attempts: 1, windowEndsAt: Date.now() + DAY_MS },
};

/** The page of a set-up link with a brand, in both colour schemes. Nothing in it does anything. */
export function BrandPreview({ brand }: { brand: Brand }) {
  const state: SetupState = { ...INITIAL_STATE, link: 'open', brand, domain: DOMAIN, diagnosis: DIAGNOSIS };
  return (
    <section class="stack" aria-labelledby="preview">
      <h2 id="preview">{TEXT.brand.preview}</h2>
      <p class="note">{TEXT.brand.previewText}</p>
      <div class="previews">
        {(['light', 'dark'] as const).map((scheme) => (
          <figure key={scheme}>
            <figcaption>{TEXT.brand[scheme]}</figcaption>
            <div class={`preview ${scheme}`} inert>
              <SetupView state={state} following={null} heading={2} isBranded />
            </div>
          </figure>
        ))}
      </div>
    </section>
  );
}
