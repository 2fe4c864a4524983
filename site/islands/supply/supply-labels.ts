import type { PartName, SupplyView } from './supply-view.ts';

/** The words that the supply is told in. */
export interface SupplyLabels extends Readonly<Record<PartName, string>> {
  readonly totalSupply: string;
  readonly marketSupply: string;
  readonly reduced: string;
  readonly chart: string;
  /** When the stated amounts were stated: `As stated in November 2026`. */
  readonly asStated: string;
}

export interface SupplyPlaceProps {
  readonly view: SupplyView;
  readonly labels: SupplyLabels;
}
