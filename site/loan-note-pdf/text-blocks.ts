/** A span of text in one style. */
export interface Run {
  readonly text: string;
  readonly isStrong?: boolean;
  /** An absolute URL. */
  readonly link?: string;
}

export type Block =
  | { readonly kind: 'heading' | 'paragraph'; readonly runs: readonly Run[] }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly (readonly Run[])[] }
  | {
      readonly kind: 'table';
      readonly head: readonly (readonly Run[])[];
      readonly rows: readonly (readonly (readonly Run[])[])[];
    };

export type Table = Extract<Block, { kind: 'table' }>;

export function plainText(runs: readonly Run[]): string {
  return runs.map(({ text }) => text).join('');
}
