declare module 'subset-font' {
  /** The part of the package that is used here (https://github.com/papandreou/subset-font). */
  export default function subsetFont(
    font: Buffer,
    characters: string,
    options: {
      readonly targetFormat: 'woff2' | 'truetype';
      /** For each variation axis, such as the weight, the range of values to keep or a single value. */
      readonly variationAxes?: Readonly<
        Record<string, number | { readonly min: number; readonly max: number }>
      >;
    },
  ): Promise<Buffer>;
}
