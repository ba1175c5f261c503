import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import type { Domain } from '../../../../client/client.ts';
import type { ShownCertificate } from '../output/show-certificate.ts';
import type { ShownDomain } from '../output/show-domain.ts';
import type { ApiClient } from './api-client.ts';
import { createProgress, type DomainState, waitUntilIssued, watchDomain } from './wait.ts';

const START = Date.UTC(2026, 10, 20);

function domain(change: Partial<ShownDomain> = {}): ShownDomain {
  return {
    id: 'dom_1',
    domain: 'shop.example.com',
    projectId: 'proj_1',
    appId: 'app_1',
    environmentId: 'env_1',
    status: 'verifying',
    dnsRecords: [{ type: 'CNAME', name: 'shop.example.com', value: 'x.cname.example.net', ttl: 60, verified: false }],
    createdAt: START,
    ...change,
  };
}

/** Progress on an output that records its text, with a clock that the test sets. */
function progressOn(terminal: { isTTY: boolean; columns: number }) {
  const written: string[] = [];
  const clock = { at: START, now: () => clock.at };
  const output = new Writable({
    write(chunk, _, done) {
      written.push(String(chunk));
      done();
    },
  });
  const progress = createProgress(Object.assign(output, terminal) as NodeJS.WriteStream, 60_000, clock);
  return { progress, written, clock };
}

test('without a terminal, the state is printed again only after a change, not as time passes', () => {
  const { progress, written, clock } = progressOn({ isTTY: false, columns: 80 });
  progress.show({ domain: domain(), findings: [] });
  clock.at += 5000;
  progress.show({ domain: domain(), findings: [] });
  expect(written).toHaveLength(1);
  expect(written[0]).toMatch(/shop\.example\.com is verifying: .*; 1 min 0 s left\.[\s\S]*x\.cname\.example\.net +no/);
  progress.show({ domain: domain({ verificationError: 'It leads elsewhere.' }), findings: [] });
  expect(written[1]).toContain('It leads elsewhere.');
});

test('on a terminal, the state is redrawn in place, however many rows it takes', () => {
  const { progress, written, clock } = progressOn({ isTTY: true, columns: 200 });
  progress.show({ domain: domain({ verificationError: 'e'.repeat(450) }), findings: [] });
  const [picture = ''] = written;
  clock.at += 5000;
  progress.show({ domain: domain(), findings: [] });
  // Each line takes one row, but 450 characters take three rows of 200.
  const rows = picture.split('\n').length - 1 + 2;
  expect(written.slice(1, 3)).toEqual([`\u001b[${rows}A`, '\u001b[0J']);
  expect(written[3]).toContain('55 s left');
});

test('the time left is not shown after a retry, when it is unknown', () => {
  const { progress, written } = progressOn({ isTTY: false, columns: 80 });
  progress.show({ domain: domain({ createdAt: START - 120_000 }), findings: [] });
  expect(written[0]).toMatch(/is verifying: its records are being checked\.\n/);
});

function certificate(change: Partial<ShownCertificate> = {}): ShownCertificate {
  return { domainId: 'dom_1', domain: 'shop.example.com', state: 'wanted', failures: 0, ...change };
}

const problem = { reason: 'no_address', message: 'It has no address.', at: START } as const;
const issued = {
  issuer: 'internal',
  source: 'managed',
  serialNumber: '01',
  fingerprint: 'AA',
  notBefore: START,
  notAfter: START + 90 * 86_400_000,
  issuedAt: START,
  renewal: { source: 'lifetime', startsAt: START, endsAt: START, renewAt: START + 60 * 86_400_000 },
} as const;

test('without a terminal, the blocker of a certificate is printed once, until it changes', () => {
  const { progress, written, clock } = progressOn({ isTTY: false, columns: 80 });
  const waiting = certificate({ state: 'waiting_for_routing', problem, nextTryAt: START + 60_000 });
  progress.showCertificate(waiting);
  clock.at += 5000;
  progress.showCertificate({ ...waiting, nextTryAt: START + 120_000 });
  expect(written).toHaveLength(1);
  expect(written[0]).toContain('It has no address.');
  progress.showCertificate(certificate({ state: 'issued', issued }));
  expect(written[1]).toMatch(/is issued: it is in use[\s\S]*expires in 89 d 23 h/);
});

test.each<[outcome: string, certificate: ShownCertificate]>([
  ['issued', certificate({ state: 'issued', issued })],
  ['issued', certificate({ state: 'failed', problem, issued })],
  ['timed out', certificate({ state: 'failed', problem })],
  ['timed out', certificate({ state: 'issued', issued: { ...issued, notAfter: START - 1 } })],
  ['not wanted', certificate({ state: 'none' })],
])('waiting for a certificate ends with "%s"', async (outcome, found) => {
  const { progress, clock } = progressOn({ isTTY: false, columns: 80 });
  const api: Pick<ApiClient, 'call'> = { call: async <T>() => found as T };
  const waited = await waitUntilIssued(api, 'shop.example.com', progress, clock.now(), clock);
  expect(waited).toEqual({ outcome, certificate: found });
});

test('a watch shows the findings that the stream tells, with the state that they belong to', async () => {
  const finding = { code: 'txt_missing', severity: 'blocking', message: 'No TXT record.', fix: 'Add it.' };
  const asked: string[] = [];
  const api: Pick<ApiClient, 'call' | 'watch'> = {
    call: async <T>(operation: string) => {
      asked.push(operation);
      return { findings: [] } as T;
    },
    async *watch(_, __, onDiagnosis) {
      yield domain() as Domain;
      onDiagnosis({ findings: [finding] as never });
      yield domain({ updatedAt: START }) as Domain;
      onDiagnosis({ findings: [] });
      yield domain({ updatedAt: START + 1 }) as Domain;
    },
  };
  const shown: DomainState[] = [];
  await watchDomain(api, 'shop.example.com', { show: (state) => void shown.push(state) });
  expect(shown.map(({ findings, isTold }) => [findings, isTold])).toEqual([
    [[], false],
    [[finding], true],
    [[], true],
  ]);
  // The stream had told nothing before the first state.
  expect(asked).toEqual(['domains.diagnoseDomain']);
});
