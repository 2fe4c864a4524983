declare module 'subset-font' {
  /** The part of the package that is used here (https://github.com/papandreou/subset-font). */
  export default function subsetFont(
    font: Buffer,
    characters: string,
    options: {
      readonly targetFormat: 'woff2' | 'truetype';
      /** The range of values or the single value to keep of each variation axis, such as the weight. */
      readonly variationAxes?: Readonly<
        Record<string, number | { readonly min: number; readonly max: number }>
      >;
    },
  ): Promise<Buffer>;
}
