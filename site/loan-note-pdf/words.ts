/** A stretch of text in one manner. */
export interface Run {
  readonly text: string;
  readonly isStrong?: boolean;
  /** A full address. */
  readonly link?: string;
}

/** Part of the running text of a chapter. */
export type Block =
  | { readonly kind: 'heading' | 'paragraph'; readonly runs: readonly Run[] }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly (readonly Run[])[] }
  | {
      readonly kind: 'table';
      readonly head: readonly (readonly Run[])[];
      readonly rows: readonly (readonly (readonly Run[])[])[];
    };

export type Table = Extract<Block, { kind: 'table' }>;

/** Text without the manner it is set in. */
export function plainText(runs: readonly Run[]): string {
  return runs.map(({ text }) => text).join('');
}
