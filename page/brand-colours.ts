import type { Brand } from '../client/client.ts';
import { EDGE_CONTRAST, isColour, legibleOn, textOn } from './colours.ts';

/** The backgrounds of styles.css with the least contrast. */
const LIGHT = '#f3f4f6';
const DARK = '#22262d';

/** Custom properties for the colours of a brand; none where it has no valid ones. */
export function brandColours({ accent, accentDark }: Pick<Brand, 'accent' | 'accentDark'>): Record<string, string> {
  const light = isColour(accent) ? accent : undefined;
  const dark = isColour(accentDark) ? accentDark : light;
  return {
    ...(light !== undefined && {
      '--brand-light': light,
      '--on-brand-light': textOn(light),
      '--brand-text-light': legibleOn(LIGHT, light),
      '--brand-edge-light': legibleOn(LIGHT, light, EDGE_CONTRAST),
    }),
    ...(dark !== undefined && {
      '--brand-dark': dark,
      '--on-brand-dark': textOn(dark),
      '--brand-text-dark': legibleOn(DARK, dark),
      '--brand-edge-dark': legibleOn(DARK, dark, EDGE_CONTRAST),
    }),
  };
}
