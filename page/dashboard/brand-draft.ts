import type { Brand, InputViolation, SetupPage } from '../../client/client.ts';
import { violationText } from './violation-text.ts';

/** The form as it is typed, as text. */
export interface BrandDraft {
  name: string;
  logo: string;
  accent: string;
  accentDark: string;
  support: string;
  /** One a line. */
  origins: string;
}

export const BRAND_PARTS = ['name', 'logo', 'accent', 'accentDark', 'support'] as const;

export function draftOf({ brand, origins }: SetupPage): BrandDraft {
  const { name = '', logo = '', accent = '', accentDark = '', support = '' } = brand;
  return { name, logo, accent, accentDark, support, origins: origins.join('\n') };
}

/** The whole of it, as the API takes it: what is empty is left out, and so removed. */
export function pageOf(draft: BrandDraft): SetupPage {
  const given = BRAND_PARTS.map((part) => [part, draft[part].trim()] as const).filter(([, value]) => value !== '');
  const brand: Brand = Object.fromEntries(given);
  return { brand, origins: draft.origins.split('\n').flatMap((line) => line.trim() || []) };
}

/** The API's words about a part of the form, by the part; `form`: about none of them. */
export function problemsOf(violations: readonly InputViolation[]): Partial<Record<keyof BrandDraft | 'form', string>> {
  const said: Partial<Record<string, string>> = {};
  for (const violation of violations) {
    const [, first, part] = violation.location.split('.');
    const place = first === 'origins' ? 'origins' : (BRAND_PARTS.find((each) => each === part) ?? 'form');
    said[place] = [said[place], violationText(violation, 'It')].filter(Boolean).join(' ');
  }
  return said;
}
