import { withSentences } from '../../domain/findings/sentences.ts';
import type { Answer, NameserverAnswers, RecordObservation, ZoneObservation } from '../../domain/observation.ts';
import { ownershipName, ownershipValue } from '../../domain/records.ts';
import type { DiagnosisData } from './diagnosis-schema.ts';
import { presentDiagnosis } from './present-diagnosis.ts';
import { exampleDomain } from './present-domain.ts';

const checkedAt = exampleDomain.createdAt + 90_000;
const NAMESERVERS = ['ns1.example.com', 'ns2.example.com'];

const zone: ZoneObservation = {
  apex: 'example.com',
  source: 'parent',
  nameservers: NAMESERVERS.map((name, at) => ({ name, addresses: [`192.0.2.${53 + at}`] })),
  ownNameservers: NAMESERVERS,
  failure: null,
};

/** The TXT record is right; the CNAME leads to another host. */
export const exampleDiagnosis: DiagnosisData = presentDiagnosis(
  exampleDomain,
  {
    checkedAt,
    observation: {
      routing: observed(exampleDomain.name, { kind: 'found', chain: ['shops.example.net'], values: ['203.0.113.10'] }),
      ownership: observed(ownershipName(exampleDomain), {
        kind: 'found',
        chain: [],
        values: [ownershipValue(exampleDomain)],
      }),
    },
    findings: [
      withSentences({
        code: 'cname_elsewhere',
        severity: 'blocking',
        record: 'routing',
        name: exampleDomain.name,
        seen: ['shops.example.net'],
        expected: exampleDomain.target,
        nameservers: NAMESERVERS,
        action: {
          kind: 'change',
          at: 'zone',
          zone: zone.apex,
          type: 'CNAME',
          name: exampleDomain.name,
          nameInZone: 'api',
          value: exampleDomain.target,
          valueInZone: exampleDomain.target,
        },
        retryable: false,
      }),
    ],
  },
  {
    attempts: 2,
    lastCheckAt: checkedAt - 28_000,
    nextCheckAt: checkedAt + 32_000,
    windowEndsAt: exampleDomain.createdAt + 86_400_000,
  },
  checkedAt,
);

function observed(name: string, answer: Answer): RecordObservation {
  const nameservers = zone.nameservers.map(
    ({ name: server, addresses: [address = null] }): NameserverAnswers => ({
      server,
      address,
      answers: [answer, answer],
    }),
  );
  const validation = { status: 'insecure', answer, ttl: 60, error: null, resolver: '192.0.2.1' } as const;
  return { name, zone, nameservers, validation };
}
