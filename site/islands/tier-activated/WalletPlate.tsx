import { useMemo } from 'react';
import type { CardTier } from '../../../data/model/tiers.ts';
import { PLATE_CENTRE, plateLines, ROSETTE_OPACITY } from '../../components/cards/plate-artwork.ts';
import { PLATE } from '../../components/cards/plate-design.ts';
import { walletDesign } from '../../components/cards/wallet-design.ts';

interface WalletPlateProps {
  readonly tier: CardTier;
  readonly walletAddress: string;
  readonly className?: string | undefined;
}

/** The plate of a tier as it is engraved for one wallet alone: an ornament, which says nothing in words. */
export function WalletPlate({ tier, walletAddress, className }: WalletPlateProps) {
  const design = useMemo(() => walletDesign(tier, walletAddress), [tier, walletAddress]);
  const lines = useMemo(() => plateLines(design), [design]);
  const size = { width: PLATE.width, height: PLATE.height };
  return (
    <svg className={className} viewBox={`0 0 ${size.width} ${size.height}`} aria-hidden="true">
      <rect {...size} fill={design.paper} />
      <g fill="none" stroke={design.ink}>
        <path opacity={design.groundOpacity} d={lines.ground} />
        <path
          opacity={ROSETTE_OPACITY}
          transform={`translate(${PLATE_CENTRE.x} ${PLATE_CENTRE.y})`}
          d={lines.rosettes}
        />
      </g>
    </svg>
  );
}
