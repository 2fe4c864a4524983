import type { WalletPosition } from '../../../data/contract/position.ts';
import { formatStake, momentText } from '../ui/format.ts';
import { sourceLabel } from '../ui/provenance.ts';

/** The size of a picture in pixels. */
export const PICTURE_SIZE = { width: 1_200, height: 630 } as const;
const MARGIN = 72;

interface PictureChoice {
  readonly hasAmount: boolean;
  readonly hasAddress: boolean;
}

type PicturedPosition = Pick<WalletPosition, 'walletAddress' | 'staked' | 'tier' | 'asOf' | 'source'>;

/** The text on a picture. It includes the amount and the address only if the holder has chosen to show them. */
export function pictureTexts(position: PicturedPosition, { hasAmount, hasAddress }: PictureChoice) {
  const { walletAddress, staked, tier, asOf, source } = position;
  return {
    title: tier === 'None' ? 'BD staker' : `${tier} tier`,
    amount: hasAmount ? `${formatStake(staked)} BD staked` : null,
    address: hasAddress ? walletAddress : null,
    note: `${momentText(asOf)} · ${sourceLabel(source)}`,
  };
}
type PictureTexts = ReturnType<typeof pictureTexts>;

function loadArtwork(tier: WalletPosition['tier']): Promise<HTMLImageElement | null> {
  return new Promise((resolve) => {
    if (tier === 'None') return resolve(null);
    const image = new Image();
    // If the artwork cannot be loaded, the picture is drawn without it.
    image.onload = () => resolve(image);
    image.onerror = () => resolve(null);
    image.src = `/artwork/${tier.toLowerCase()}.svg`;
  });
}

const PAPER = '#16181c';
const INK = '#f2efe6';
const MUTED = '#c4c1b6';
const GOLD = '#e3b341';

/** Draws the logo from the page's header, 64 units wide, in the colors of the picture. */
function drawLogo(context: CanvasRenderingContext2D): void {
  for (const shape of document.querySelectorAll('#brand-mark path, #brand-mark circle')) {
    const numberOf = (name: string) => Number(shape.getAttribute(name));
    const path = new Path2D(shape.getAttribute('d') ?? undefined);
    if (shape instanceof SVGCircleElement)
      path.arc(numberOf('cx'), numberOf('cy'), numberOf('r'), 0, 2 * Math.PI);
    context.fillStyle = shape.matches('.gold') ? GOLD : shape.matches('.cut') ? PAPER : INK;
    context.strokeStyle = PAPER;
    context.lineWidth = 1.7;
    context.lineCap = 'round';
    if (shape.matches('.feathers *')) context.stroke(path);
    else context.fill(path);
  }
}

/** Like cards, the picture has the same colors in both themes. */
export async function drawPicture(
  canvas: HTMLCanvasElement,
  tier: WalletPosition['tier'],
  texts: PictureTexts,
): Promise<void> {
  const { width, height } = PICTURE_SIZE;
  const artwork = await loadArtwork(tier);
  const context = canvas.getContext('2d');
  if (!context) return;
  const family = getComputedStyle(document.body).fontFamily;
  const write = (text: string, y: number, font: string, color: string) => {
    context.font = `${font} ${family}`;
    context.fillStyle = color;
    context.fillText(text, MARGIN, y, width - 2 * MARGIN);
  };
  context.fillStyle = PAPER;
  context.fillRect(0, 0, width, height);
  // The artwork is as wide as the picture. Its top and bottom are cut off.
  if (artwork) context.drawImage(artwork, 0, (height - width * 0.63) / 2, width, width * 0.63);
  context.save();
  context.translate(MARGIN, 64);
  drawLogo(context);
  context.restore();
  context.textBaseline = 'alphabetic';
  context.font = `600 40px ${family}`;
  context.fillStyle = INK;
  context.fillText('BlackDuck', MARGIN + 84, 112);
  const { title, amount, address, note } = texts;
  const lines = [amount, address].filter((line) => line !== null);
  write(title, 430 - 62 * lines.length, '500 104px', INK);
  for (const [index, line] of lines.entries()) {
    write(line, 430 - 54 * (lines.length - 1 - index), line === address ? '30px' : '500 42px', INK);
  }
  context.fillStyle = GOLD;
  context.fillRect(MARGIN, 478, width - 2 * MARGIN, 2);
  write(`${note} · ${location.host}`, 540, '28px', MUTED);
}
