import { describe, expect, it } from 'vitest';
import type { Certificate } from '../../client/client.ts';
import { FINDING_CODES, type FindingFields } from '../../server/src/domain/finding.ts';
import { sentencesIn, textsIn, toldWith } from '../../test/page/catalogue-texts.ts';
import { SAMPLES } from '../../test/page/finding-samples.ts';
import type { Sentence } from '../../words/sentence.ts';
import { de } from './de.ts';
import { en, type Language } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { ja } from './ja.ts';
import { pt } from './pt.ts';
import { marked, partsOf } from './sentence.ts';
import { tellFinding, tellProblem } from './tell-finding.ts';

const LANGUAGES: Language[] = [en, de, fr, es, pt, ja];
const OTHERS = LANGUAGES.slice(1).map((language) => [language.tag, language] as const);

function fieldsIn(sentence: Sentence, count: number): string[] {
  const text = typeof sentence === 'string' ? sentence : sentence(toldWith(count));
  return [...new Set(text.match(/<\w+>|TYPE/g) ?? [])].sort();
}

describe.each(OTHERS)('the catalogue in %s', (_, { findings }) => {
  it('keeps every field of the English sentence, and adds none', () => {
    const keys = Object.keys(en.findings) as (keyof Language['findings'])[];
    for (const count of [1, 2]) {
      const fields = (of: Language['findings']) => keys.map((key) => [key, ...fieldsIn(of[key], count)].join(' '));
      expect(fields(findings)).toEqual(fields(en.findings));
    }
  });

  it('has no sentence of the English one', () => {
    const english = new Map(sentencesIn(en.findings));
    // “Name” is a word of several languages.
    const same = sentencesIn(findings).filter(([key, text]) => text === english.get(key as keyof Language['findings']));
    expect(same.filter(([key]) => key !== 'entryName')).toEqual([]);
  });
});

/** Words that are the same in several languages. */
const INTERNATIONAL = /^\.(space|colon|flags|tag|name|type|sent\.fill|steps\.live)/;

describe.each(OTHERS)('the texts of the page in %s', (_, { texts }) => {
  const said = textsIn(texts);
  const english = new Map(textsIn(en.texts));

  it('have no English one', () => {
    expect(said.length).toBeGreaterThan(200);
    const same = said.filter(
      ([path, text]) => /\p{L}{3}/u.test(text.replaceAll(/<\w+>/g, '')) && english.get(path) === text,
    );
    expect(same.filter(([path]) => !INTERNATIONAL.test(path))).toEqual([]);
  });

  it('keep every field of the English ones', () => {
    // A text that fails with some fields is missing here.
    const paths = new Set(said.map(([path]) => path));
    expect([...english.keys()].filter((path) => !paths.has(path))).toEqual([]);
    const fields = (text = '') => [...new Set(text.match(/<\w+>/g))].sort();
    for (const [path, text] of english) {
      const other = said.find(([each]) => each === path)?.[1];
      expect([path, ...fields(other)]).toEqual([path, ...fields(text)]);
    }
  });
});

describe.each(LANGUAGES.map((language) => [language.tag, language] as const))('findings in %s', (_, language) => {
  it.each(SAMPLES)(
    '$code, $sample: shows what its English of the API shows, and none of its sentences',
    ({ finding }) => {
      const told = tellFinding(finding, language);
      expect(told.lang).toBeUndefined();
      expect(told.message).not.toMatch(/undefined|null|NaN|\[object/);
      expect(told.fix).not.toMatch(/undefined|null|NaN|\[object/);
      expect(told.fix === '').toBe(finding.fix === '');
      const all = `${told.message} ${told.fix}`;
      const { valueInZone = '', nameInZone = '' } = finding.action ?? {};
      if (finding.fix.includes(`Value: \`${valueInZone}\``)) expect(told.fix).toContain(marked(valueInZone));
      if (nameInZone !== '' && finding.fix.includes(`Name: \`${nameInZone}\``))
        expect(told.fix).toContain(marked(nameInZone));
      if (finding.message.includes(` ${finding.expected} `)) expect(all).toContain(finding.expected);
      if (language === en) return;
      for (const sentence of `${finding.message} ${finding.fix}`.split(/(?<=[.:]) /))
        if (sentence.split(' ').length > 2) expect(all).not.toContain(sentence);
    },
  );
});

it('in Japanese, a number and its unit have no space between them', () => {
  expect(ja.texts.nextCheck(7)).toBe('次の確認は7秒後です。');
  expect(ja.texts.nextCheck(600)).toBe('次の確認は10分後です。');
});

it('there is a sample of every code', () => {
  expect([...new Set(SAMPLES.map(({ code }) => code))].sort()).toEqual([...FINDING_CODES].sort());
});

describe('an answer of a newer server', () => {
  const [{ finding } = { finding: undefined as never }] = SAMPLES;

  it('an unknown code keeps the text of the API, as English', () => {
    const unknown = { ...finding, code: 'new_code', message: 'Something new.', fix: 'Do this.' };
    expect(tellFinding(unknown, de)).toMatchObject({ lang: 'en', message: 'Something new.', fix: 'Do this.' });
  });

  it('an unknown action keeps the text of the API, as English', () => {
    const unknown = { ...finding, action: { kind: 'sing', at: 'zone', zone: 'example.com' }, facts: {} };
    expect(tellFinding({ ...unknown, code: 'txt_missing' }, de)).toMatchObject({ lang: 'en', fix: finding.fix });
  });

  it('no name of an object is a code', () => {
    expect(tellFinding({ ...finding, code: 'constructor' }, de).lang).toBe('en');
  });
});

describe('a value from the DNS', () => {
  const seen = ['`rm` \u202e \uFDD0 \uFDD1 <b>'];
  const fields: FindingFields = {
    code: 'cname_elsewhere',
    severity: 'blocking',
    name: 'a.example',
    seen,
    retryable: false,
  };

  it('is one value, whatever is in it', () => {
    const { message } = tellFinding({ ...fields, message: '', fix: '' }, de);
    expect(partsOf(message).filter((_, at) => at % 2 === 1)).toEqual(['a.example', '`rm` \u202e \uFFFD \uFFFD <b>']);
  });
});

describe('the problem of a certificate', () => {
  const certificate = (reason: string): Certificate => ({
    domainId: 'dom_1',
    domain: 'shop.example.com',
    state: 'failed',
    failures: 1,
    problem: { reason, message: 'The CA said no.', at: 0 },
    selfCheck: {
      at: 0,
      answers: [
        { address: '192.0.2.1', outcome: 'another' },
        { address: '192.0.2.2', outcome: 'ours' },
      ],
    },
  });

  it('names the addresses where another server answers, and no others', () => {
    const { text } = tellProblem(certificate('answered_by_another'), de);
    expect(text).toContain('192.0.2.1');
    expect(text).not.toContain('192.0.2.2');
  });

  it('an unknown reason keeps the text of the API, as English', () => {
    expect(tellProblem(certificate('new_reason'), de)).toEqual({ text: 'The CA said no.', lang: 'en' });
  });
});
