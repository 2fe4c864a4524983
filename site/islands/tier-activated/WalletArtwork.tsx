import { useMemo } from 'react';
import type { CardTier } from '../../../data/model/tiers.ts';
import {
  CARD_CENTER,
  CARD_SIZE,
  cardLines,
  ROSETTE_OPACITY,
  walletDesign,
} from '../../components/cards/card-design.ts';

interface WalletArtworkProps {
  readonly tier: CardTier;
  readonly walletAddress: string;
  readonly className?: string | undefined;
}

export function WalletArtwork({ tier, walletAddress, className }: WalletArtworkProps) {
  const design = useMemo(() => walletDesign(tier, walletAddress), [tier, walletAddress]);
  const lines = useMemo(() => cardLines(design), [design]);
  const { width, height } = CARD_SIZE;
  return (
    <svg className={className} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <rect width={width} height={height} fill={design.paper} />
      <g fill="none" stroke={design.ink}>
        <path opacity={design.groundOpacity} d={lines.ground} />
        <path
          opacity={ROSETTE_OPACITY}
          transform={`translate(${CARD_CENTER.x} ${CARD_CENTER.y})`}
          d={lines.rosettes}
        />
      </g>
    </svg>
  );
}
