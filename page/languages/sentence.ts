/** A value starts and ends with these, which are no characters. */
const START = '\uFDD0';
const END = '\uFDD1';

/** Marks a value, so that it is shown as one, left to right. Whoever publishes it cannot put marks in. */
export function marked(value: string): string {
  return `${START}${value.replace(/[\uFDD0\uFDD1]/g, '\uFFFD')}${END}`;
}

/** The parts of a text: those at odd places are values. The API marks them by backticks. */
export function partsOf(text: string): string[] {
  return text.includes(START) ? text.split(/[\uFDD0\uFDD1]/) : text.split('`');
}
