declare module 'fontverter' {
  /** The part of the package that is used here (https://github.com/papandreou/fontverter). */
  export function convert(font: Buffer, format: 'sfnt'): Promise<Buffer>;
}
