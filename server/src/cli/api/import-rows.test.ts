import { describe, expect, it } from 'vitest';
import { type InputViolation, NameplateError } from '../../../../client/client.ts';
import { ApiError } from './api-client.ts';
import { createImporter, type Place, type ShownOutcome } from './import-rows.ts';

const place = { project: 'shop', app: 'web', environment: 'production' };

/** An importer on an API that attaches what `outcome` does not refuse, and what it was sent. */
function importing(outcome: (name: string) => ShownOutcome['error'] | 'existing' = () => undefined) {
  const sent: { place: Place; names: string[] }[] = [];
  const importer = createImporter(async (to, domains) => {
    const names = domains.map(({ domain }) => domain);
    sent.push({ place: to, names });
    return names.map((domain): ShownOutcome => {
      const error = outcome(domain);
      if (error === 'existing') return { domain, domainId: 'dom_1', error: problem(409, 'It is there.') };
      return error === undefined ? { domain, domainId: 'dom_1' } : { domain, error };
    });
  });
  return { importer, sent };
}
const problem = (status: number, detail: string) => ({ title: 'No', type: 'no', status, detail });
const refusal = (status: number, detail: string, errors: InputViolation[] = []) =>
  new ApiError(new NameplateError({ ...problem(status, detail), errors }));
const named = (count: number) => Array.from({ length: count }, (_, i) => `n${i}.example.com`);

describe('an import', () => {
  it('sends names in batches of 100 to each environment, in order', async () => {
    const { importer, sent } = importing();
    const names = named(250);
    for (const [i, domain] of names.entries()) {
      await importer.add({
        line: i + 2,
        domain,
        place: { ...place, environment: i % 5 === 0 ? 'staging' : 'production' },
      });
    }
    expect(await importer.end()).toEqual({ created: 250, existing: 0, refusals: [] });
    const batches = sent.map(({ place: { environment }, names: { length } }) => [environment, length]);
    expect(batches).toEqual([
      ['production', 100],
      ['production', 100],
      ['staging', 50],
    ]);
    expect(sent.flatMap(({ names }) => names).toSorted()).toEqual(names.toSorted());
  });

  it('counts names that their environment has already, and reports those that are refused, by line', async () => {
    const { importer } = importing((name) => {
      if (name.startsWith('n1.')) return 'existing';
      if (name.startsWith('n2.')) return problem(409, 'Another environment has it.');
      const errors = [{ location: 'body', message: 'must not be empty', fix: 'use "x"' }];
      return name.startsWith('n3.') ? { ...problem(400, 'Invalid.'), errors } : undefined;
    });
    importer.refuse({ line: 9, domain: '' }, 'No name.');
    for (const [i, domain] of named(5).entries()) await importer.add({ line: i + 2, domain, place });
    expect(await importer.end()).toEqual({
      created: 2,
      existing: 1,
      refusals: [
        { line: 4, domain: 'n2.example.com', status: 409, reason: 'Another environment has it.' },
        { line: 5, domain: 'n3.example.com', status: 400, reason: 'must not be empty; use "x".' },
        { line: 9, domain: '', status: '', reason: 'No name.' },
      ],
    });
  });

  it('sends a name once, whatever its form, and reports where it was before', async () => {
    const { importer, sent } = importing();
    for (const [i, domain] of ['BÜCHER.example', 'xn--bcher-kva.example', 'not a name', 'not a name'].entries()) {
      await importer.add({ line: i + 2, domain, place });
    }
    const { created, refusals } = await importer.end();
    expect(created).toBe(2);
    expect(refusals.map(({ line, reason }) => [line, reason])).toEqual([
      [3, 'The name is in line 2 already.'],
      [5, 'The name is in line 4 already.'],
    ]);
    expect(sent).toHaveLength(1);
  });

  it('sends names beyond the rate limit again, until each has an outcome', async () => {
    let allowed = 3;
    const { importer, sent } = importing(() => {
      allowed -= 1;
      if (allowed >= 0) return undefined;
      if (allowed === -3) allowed = 3;
      return problem(429, 'Too many.');
    });
    for (const [i, domain] of named(5).entries()) await importer.add({ line: i + 2, domain, place });
    expect(await importer.end()).toEqual({ created: 5, existing: 0, refusals: [] });
    expect(sent.map(({ names }) => names.length)).toEqual([5, 2, 1]);
  });

  it('reports the names of an environment that is not there, and goes on with the others', async () => {
    const importer = createImporter(async ({ environment }, domains) => {
      if (environment === 'production') return domains.map(({ domain }) => ({ domain, domainId: 'dom_1' }));
      throw refusal(404, 'There is none.');
    });
    for (const [i, domain] of named(250).entries()) {
      await importer.add({ line: i + 2, domain, place: { ...place, environment: i < 220 ? 'none' : 'production' } });
    }
    const { created, refusals } = await importer.end();
    expect(created).toBe(30);
    expect(refusals).toHaveLength(220);
    expect(refusals[219]).toEqual({ line: 221, domain: 'n219.example.com', status: 404, reason: 'There is none.' });
  });

  it('goes on after an environment that the API cannot read: only its names are refused, with the reason', async () => {
    const errors = [{ location: 'body.environment', message: 'must have at least 3 characters' }];
    const importer = createImporter(async ({ environment }, domains) => {
      if (environment !== 'x') return domains.map(({ domain }) => ({ domain, domainId: 'dom_1' }));
      throw refusal(400, 'The request is not valid.', errors);
    });
    for (const [i, domain] of named(250).entries()) {
      await importer.add({ line: i + 2, domain, place: { ...place, environment: i % 2 === 0 ? 'x' : 'production' } });
    }
    const { created, refusals } = await importer.end();
    expect([created, refusals.length]).toEqual([125, 125]);
    const reason = 'The environment must have at least 3 characters.';
    expect(refusals[0]).toEqual({ line: 2, domain: 'n0.example.com', status: 400, reason });
  });

  it('sends requests below the size limit of the API, however long the certificates are', async () => {
    const sent: number[] = [];
    const importer = createImporter(async (_, domains) => {
      sent.push(Buffer.byteLength(JSON.stringify({ ...place, domains })));
      return domains.map(({ domain }) => ({ domain, domainId: 'dom_1' }));
    });
    const certificate = { certificates: 'é\n'.repeat(8_000), privateKey: '\n'.repeat(16_000) };
    for (const [i, domain] of named(100).entries())
      await importer.add({ line: i + 2, domain, own: { certificate: { ...certificate } }, place });
    expect(await importer.end()).toMatchObject({ created: 100, refusals: [] });
    expect(Math.max(...sent)).toBeLessThan(1_048_576);
    expect(sent).toHaveLength(8);
  });

  it.each([
    ['its outcome', false],
    ['the error of the whole request', true],
  ])(
    'sends a name whose certificate is refused again without it, as %s says, and loses no name',
    async (_, isWhole) => {
      const location = 'body.domains.1.certificate.certificates';
      const errors = [{ location, message: 'is for "a.test", not for b.test' }];
      const sent: boolean[][] = [];
      const stripped: unknown[] = [];
      const importer = createImporter(
        async (_, domains) => {
          sent.push(domains.map(({ certificate }) => certificate !== undefined));
          if (sent.length > 1) return domains.map(({ domain }) => ({ domain, domainId: 'dom_1' }));
          if (isWhole) throw refusal(400, 'The request is not valid.', errors);
          const error = { ...problem(400, 'Invalid.'), errors };
          return domains.map(({ domain }, at) => (at === 1 ? { domain, error } : { domain, domainId: 'dom_1' }));
        },
        { stripped: (_, { line, status, reason }) => void stripped.push({ line, status, reason }) },
      );
      for (const [i, domain] of named(3).entries()) {
        const certificate = { certificates: 'PEM', privateKey: 'PEM' };
        await importer.add({ line: i + 2, domain, own: { certificate }, place });
      }
      expect(await importer.end()).toEqual({ created: 3, existing: 0, refusals: [] });
      expect(stripped).toEqual([{ line: 3, status: 400, reason: 'is for "a.test", not for b.test.' }]);
      expect(sent).toEqual([[true, true, true], isWhole ? [true, false, true] : [false]]);
    },
  );

  it('refuses a row alone for its data, and sends the others again with theirs', async () => {
    const errors = [
      { location: 'body.domains.1.metadata.plan', message: 'must have at most 500 characters' },
      { location: 'body.domains.3.externalId', message: 'must have at least 1 characters' },
    ];
    const sent: unknown[][] = [];
    const importer = createImporter(async (_, domains) => {
      sent.push(domains);
      if (sent.length === 1) throw refusal(400, 'The request is not valid.', errors);
      return domains.map(({ domain }) => ({ domain, domainId: 'dom_1' }));
    });
    for (const [i, domain] of named(5).entries())
      await importer.add({ line: i + 2, domain, own: { externalId: String(i) }, place });
    expect(await importer.end()).toMatchObject({
      created: 3,
      refusals: [
        { line: 3, status: 400, reason: 'The metadata must have at most 500 characters.' },
        { line: 5, status: 400, reason: 'The externalId must have at least 1 characters.' },
      ],
    });
    expect(sent[1]).toEqual([0, 2, 4].map((i) => ({ domain: `n${i}.example.com`, externalId: String(i) })));
  });

  it('attaches a name to the environment of its first row, and to no other', async () => {
    const { importer, sent } = importing();
    for (const [i, environment] of ['staging', 'production', 'staging'].entries()) {
      const domain = i === 0 ? 'A.example' : 'a.example';
      await importer.add({ line: i + 2, domain, place: { ...place, environment } });
    }
    const { created, refusals } = await importer.end();
    expect(created).toBe(1);
    expect(sent).toEqual([{ place: { ...place, environment: 'staging' }, names: ['A.example'] }]);
    expect(refusals.map(({ line, reason }) => [line, reason])).toEqual([
      [3, 'The name is in line 2 already.'],
      [4, 'The name is in line 2 already.'],
    ]);
  });

  it('does not mix up environments whose names hold spaces', async () => {
    const { importer, sent } = importing();
    await importer.add({ line: 2, domain: 'a.example', place: { project: 'a b', app: 'c', environment: 'd' } });
    await importer.add({ line: 3, domain: 'b.example', place: { project: 'a', app: 'b c', environment: 'd' } });
    await importer.end();
    expect(sent.map(({ place: { project }, names }) => [project, names])).toEqual([
      ['a b', ['a.example']],
      ['a', ['b.example']],
    ]);
  });

  it('ends with any other error of the API', async () => {
    for (const error of [new Error('gone'), refusal(401, 'No key.'), refusal(500, 'Broken.')]) {
      const importer = createImporter(() => Promise.reject(error));
      await importer.add({ line: 2, domain: 'a.example', place });
      await expect(importer.end()).rejects.toBe(error);
    }
  });
});
