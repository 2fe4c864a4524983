import { scaledDecimal } from '../../../data/model/amounts.ts';
import { REFERENCE_VALUES } from '../../../data/model/reference-values.ts';
import type { FigureBodies } from '../../data/figure-strategies.ts';
import { signedPercent } from '../figure/signed-percent.ts';

type Growth = FigureBodies['/api/vault/metrics']['growth'];

/** Growth over one window. */
export interface GrowthRow {
  readonly hours: number;
  /** Signed, with its percent sign. */
  readonly text: string;
  readonly direction: 'up' | 'down' | 'flat';
  /** Whether the figure is the published example, shown while the window has no history. */
  readonly example: boolean;
  /** Length of the row's bar, 0–100, against the largest of its own kind: the real ones or the examples. */
  readonly length: number;
}

function magnitude(value: bigint): number {
  return Math.abs(Number(value));
}

/** The rows of the vault's growth; a window that history does not cover yet, and every one of none, is an example. */
export function growthRows(growth: Growth): readonly GrowthRow[] {
  const rows = REFERENCE_VALUES.vaultGrowth.map(({ hours, percent }) => {
    const real = growth.find((window) => window.hours === hours)?.percent ?? null;
    return { hours, example: real === null, hundredths: scaledDecimal(real ?? percent, 2) };
  });
  return rows.map(({ hours, example, hundredths }) => {
    const longest = Math.max(
      ...rows.filter((row) => row.example === example).map((row) => magnitude(row.hundredths)),
    );
    return {
      hours,
      example,
      text: signedPercent(hundredths, example ? 1 : 2),
      direction: hundredths > 0n ? 'up' : hundredths < 0n ? 'down' : 'flat',
      length: longest === 0 ? 0 : (magnitude(hundredths) / longest) * 100,
    };
  });
}
