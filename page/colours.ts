/** Colours of a brand, made legible: WCAG 2.2, contrast (1.4.3) and relative luminance. Colours are `#rrggbb`. */

type Rgb = readonly [red: number, green: number, blue: number];

const TEXT_CONTRAST = 4.5;
/** The edge of a button has it, by which the button is seen (1.4.11). */
export const EDGE_CONTRAST = 3;

/** Black or white, whichever is easier to read on this ground: at least 4.58 to 1. */
export function textOn(ground: string): string {
  return contrast(ground, '#ffffff') >= contrast(ground, '#000000') ? '#ffffff' : '#000000';
}

/**
 * The colour itself where it has this contrast on this ground, by default that of text, otherwise the nearest that has:
 * darker on a light ground, lighter on a dark one.
 */
export function legibleOn(ground: string, colour: string, least = TEXT_CONTRAST): string {
  const towards = parse(textOn(ground));
  const from = parse(colour);
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = format(from.map((part, at) => part + ((towards[at] ?? 0) - part) * share));
    if (contrast(ground, mixed) >= least) return mixed;
  }
  return format(towards);
}

/** From 1 to 21. */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(parse(one)), luminance(parse(other))].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(rgb: Rgb): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function parse(colour: string): Rgb {
  const part = (at: number) => Number.parseInt(colour.slice(at, at + 2), 16);
  return [part(1), part(3), part(5)];
}

function format(rgb: readonly number[]): string {
  return `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;
}

/** Whether a text is a colour of this form. */
export function isColour(text: string | undefined): text is string {
  return text !== undefined && /^#[0-9a-f]{6}$/i.test(text);
}
