import { useMemo } from 'react';
import { encode } from 'uqr';
import styles from './qr.module.css';

/** Pixels of its side, and modules of white around it. */
const SIDE = 200;
const MARGIN = 2;

/** The dark modules of a text's QR code as the path of an SVG document of `size` × `size` modules, margin included. */
export function qrPath(text: string): { readonly size: number; readonly path: string } {
  const { data, size } = encode(text, { ecc: 'M', border: MARGIN });
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return { size, path };
}

interface QrCodeProps {
  readonly text: string;
  /** What it is, for those who do not see it. */
  readonly label: string;
}

/** A text to be read by a phone. It is black on white by day and by night, as scanners expect. */
export default function QrCode({ text, label }: QrCodeProps) {
  const { size, path } = useMemo(() => qrPath(text), [text]);
  return (
    <svg
      className={styles.qr}
      width={SIDE}
      height={SIDE}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      role="img"
      aria-label={label}
    >
      <path fill="#fff" d={`M0 0h${size}v${size}H0z`} />
      <path fill="#000" d={path} />
    </svg>
  );
}
