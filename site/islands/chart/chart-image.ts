/** The width of a saved image in pixels. */
const WIDTH = 1_600;
/** The margins and the height of the head, in CSS pixels. */
const MARGIN = 24;
const HEAD_HEIGHT = 64;

/** What a saved image leaves out: text for screen readers, buttons, the cursor, and the caption, which repeats the title. */
const EXCLUDED_SELECTOR = '.visually-hidden, caption, button, [data-chosen]';

function drawPath(context: CanvasRenderingContext2D, path: SVGPathElement, style: CSSStyleDeclaration): void {
  const shape = new Path2D();
  // Transforms only the path, so that the stroke keeps its width.
  shape.addPath(new Path2D(path.getAttribute('d') ?? ''), path.getScreenCTM() ?? undefined);
  if (style.fill !== 'none') {
    context.fillStyle = style.fill;
    context.fill(shape);
  }
  if (style.stroke === 'none') return;
  context.strokeStyle = style.stroke;
  context.lineWidth = Number.parseFloat(style.strokeWidth);
  context.setLineDash(style.strokeDasharray.match(/[\d.]+/g)?.map(Number) ?? []);
  context.stroke(shape);
}

function drawBox(context: CanvasRenderingContext2D, element: Element, style: CSSStyleDeclaration): void {
  const { x, y, width, height } = element.getBoundingClientRect();
  context.beginPath();
  context.roundRect(x, y, width, height, Math.min(Number.parseFloat(style.borderRadius) || 0, height) / 2);
  context.fillStyle = style.backgroundColor;
  context.fill();
  context.fillStyle = style.borderTopColor;
  context.fillRect(x, y, width, Number.parseFloat(style.borderTopWidth));
}

/** Draws each character where the page shows it, because a canvas has neither tabular digits nor line breaks. */
function drawText(context: CanvasRenderingContext2D, text: Text, style: CSSStyleDeclaration): void {
  context.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  context.fillStyle = style.color;
  context.textBaseline = 'middle';
  context.textAlign = 'center';
  const range = document.createRange();
  for (const [index, character] of text.data.split('').entries()) {
    range.setStart(text, index);
    range.setEnd(text, index + 1);
    const { left, top, width, height } = range.getBoundingClientRect();
    if (width > 0) context.fillText(character, left + width / 2, top + height / 2);
  }
}

/** Draws a figure as a PNG image in the page's colors and fonts, with the title and a note above the figure. */
export async function drawChartImage(figure: HTMLElement, title: string, note: string): Promise<Blob> {
  const { left, top, width, height } = figure.getBoundingClientRect();
  const canvas = document.createElement('canvas');
  const scale = WIDTH / (width + 2 * MARGIN);
  canvas.width = WIDTH;
  canvas.height = Math.ceil((HEAD_HEIGHT + height + 2 * MARGIN) * scale);
  const context = canvas.getContext('2d');
  if (!context) throw new Error('This browser does not support canvas.');
  const pageStyle = getComputedStyle(document.body);
  context.fillStyle = pageStyle.backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.scale(scale, scale);
  context.textBaseline = 'top';
  context.fillStyle = pageStyle.color;
  context.font = `500 21px ${pageStyle.fontFamily}`;
  context.fillText(title, MARGIN, MARGIN, width);
  context.font = `13px ${pageStyle.fontFamily}`;
  context.globalAlpha = 0.7;
  context.fillText(`${note} · ${location.host}`, MARGIN, MARGIN + 32, width);
  context.globalAlpha = 1;
  context.translate(MARGIN - left, HEAD_HEIGHT + MARGIN - top);
  const walker = document.createTreeWalker(figure, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
    node instanceof Element && node.matches(EXCLUDED_SELECTOR)
      ? NodeFilter.FILTER_REJECT
      : NodeFilter.FILTER_ACCEPT,
  );
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node instanceof Element ? node : node.parentElement;
    if (!element) continue;
    const style = getComputedStyle(element);
    if (node instanceof SVGPathElement) drawPath(context, node, style);
    else if (node instanceof Text) drawText(context, node, style);
    else if (node instanceof HTMLElement) drawBox(context, node, style);
  }
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error('The image could not be encoded.'))),
      'image/png',
    );
  });
}
