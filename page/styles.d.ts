declare module '*.css' {
  /** The text of the file. */
  const css: string;
  export default css;
}
