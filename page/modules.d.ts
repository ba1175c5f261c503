declare module 'punycode/punycode.es6.js' {
  /** Throws where a label is not valid. */
  export function toUnicode(name: string): string;
}

declare module '*.css' {
  /** The text of the file. */
  const css: string;
  export default css;
}
