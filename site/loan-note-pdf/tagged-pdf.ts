import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { convert } from 'fontverter';
import opentype, { type Font } from 'opentype.js';
import PDFDocument from 'pdfkit';
import { breakIntoLines, type Line } from './lines.ts';
import { type Face, HAIRLINE, INK, PAPER, type Style } from './paper.ts';
import type { Run } from './text-blocks.ts';

export type StructureElement = PDFKit.PDFStructureElement;

/** The structure element types used in the document (ISO 32000-1, section 14.8.4). */
type Tag =
  | 'Document'
  | 'Sect'
  | 'Div'
  | 'H1'
  | 'H2'
  | 'H3'
  | 'H4'
  | 'P'
  | 'TOC'
  | 'TOCI'
  | 'Reference'
  | 'L'
  | 'LI'
  | 'Lbl'
  | 'LBody'
  | 'Link'
  | 'Table'
  | 'Caption'
  | 'TR'
  | 'TH'
  | 'TD'
  | 'Figure';

const { resolve } = createRequire(import.meta.url);
const FACES: Readonly<Record<Face, string>> = {
  regular: '@fontsource/geist/files/geist-latin-400-normal.woff',
  medium: '@fontsource/geist/files/geist-latin-500-normal.woff',
  strong: '@fontsource/geist/files/geist-latin-600-normal.woff',
  mono: '@fontsource/geist-mono/files/geist-mono-latin-400-normal.woff',
};

/** Reads a WOFF font as OpenType. Given WOFF, the PDF library would unpack the font's tables again for every character. */
const readFont = async (file: string): Promise<Buffer> => convert(await readFile(resolve(file)), 'sfnt');

interface PdfOptions {
  readonly title: string;
  readonly author: string;
  readonly subject: string;
  /** The creation and modification date in the file's metadata. */
  readonly date: Date;
}

interface TextBox {
  readonly x: number;
  /** The top of the first line. */
  readonly top: number;
  readonly leading: number;
  /** Aligns the lines to this right edge instead of `x`. */
  readonly right?: number;
}

/**
 * A tagged PDF document under construction: all content belongs to a structure element or is marked as decoration (PDF/UA-1,
 * ISO 14289-1). Lengths are in points. Positions are measured from the page's top left corner.
 */
export class TaggedPdf {
  readonly doc: PDFKit.PDFDocument;
  readonly root: StructureElement;
  readonly #widths = new Map<string, number>();
  readonly #regularFont: Font;
  #bookmark: PDFKit.PDFOutline | null = null;

  private constructor(doc: PDFKit.PDFDocument, regularFont: Font) {
    this.doc = doc;
    this.#regularFont = regularFont;
    this.root = doc.struct('Document');
    doc.addStructure(this.root);
  }

  static async open({ title, author, subject, date }: PdfOptions): Promise<TaggedPdf> {
    const options: PDFKit.PDFDocumentOptions = {
      autoFirstPage: false,
      size: [PAPER.width, PAPER.height],
      margin: 0,
      // Disables the library's default font, which would not be embedded. PDF/UA requires every font to be embedded.
      font: '',
      pdfVersion: '1.7',
      tagged: true,
      lang: 'en-GB',
      displayTitle: true,
      info: {
        ...{ Title: title, Author: author, Subject: subject, CreationDate: date, ModDate: date },
        ...{ Creator: PROGRAM, Producer: PROGRAM },
      },
    };
    const doc = new PDFDocument(Object.assign(options, { subset: 'PDF/UA' }));
    for (const [face, file] of Object.entries(FACES)) doc.registerFont(face, await readFont(file));
    const regularFontBytes = await readFont(FACES.regular);
    return new TaggedPdf(doc, opentype.parse(new Uint8Array(regularFontBytes).buffer));
  }

  async close(): Promise<Buffer> {
    const chunks: Buffer[] = [];
    this.doc.on('data', (part: Buffer) => chunks.push(part));
    const ended = new Promise((resolve, reject) => {
      this.doc.once('end', resolve);
      this.doc.once('error', reject);
    });
    this.root.end();
    this.doc.end();
    await ended;
    return Buffer.concat(chunks);
  }

  /** Adds an element to `parent`. The caller must end the new element. */
  addElement(
    parent: StructureElement,
    tag: Tag,
    options: PDFKit.Mixins.StructureElementOptions = {},
  ): StructureElement {
    const element = this.doc.struct(tag, options);
    parent.add(element);
    return element;
  }

  /** The width of a line of text. @throws {Error} if the font lacks one of its characters */
  measure(text: string, style: Style): number {
    const key = `${style.face} ${style.size} ${style.spacing} ${style.isTabular} ${text}`;
    const known = this.#widths.get(key);
    if (known !== undefined) return known;
    const unknown = [...text].find((character) => this.#regularFont.charToGlyphIndex(character) === 0);
    if (unknown !== undefined) {
      throw new Error(`The font of the loan note's PDF lacks "${unknown}", which is in "${text}".`);
    }
    const width = this.doc
      .font(style.face)
      .fontSize(style.size)
      .widthOfString(text, { ...spacingOptions(style) });
    this.#widths.set(key, width);
    return width;
  }

  breakLines(runs: readonly Run[], width: number, style: Style): readonly Line[] {
    return breakIntoLines(runs, width, (run) => this.measure(run.text, formatOf(run, style)));
  }

  /** Writes lines as a new element, with their links as child elements. */
  write(parent: StructureElement, tag: Tag, lines: readonly Line[], style: Style, position: TextBox): void {
    const element = this.addElement(parent, tag);
    this.writeInto(element, tag, lines, style, position);
    element.end();
  }

  writeInto(
    element: StructureElement,
    tag: Tag,
    lines: readonly Line[],
    style: Style,
    position: TextBox,
  ): void {
    let isOpen = false;
    const close = () => {
      if (isOpen) this.doc.endMarkedContent();
      isOpen = false;
    };
    lines.forEach((line, index) => {
      const lineWidth = line.reduce((sum, { width }) => sum + width, 0);
      let x = position.right === undefined ? position.x : position.right - lineWidth;
      const top = position.top + index * position.leading;
      for (const segment of line) {
        const format = formatOf(segment, style);
        if (segment.link !== undefined) {
          close();
          this.#writeLink(element, segment.text, segment.link, format, {
            x,
            top,
            width: segment.width,
            leading: position.leading,
          });
        } else {
          if (!isOpen) element.add(this.doc.markStructureContent(tag));
          isOpen = true;
          this.#drawText(segment.text, format, x, top, position.leading);
        }
        x += segment.width;
      }
    });
    close();
  }

  writeLine(parent: StructureElement, tag: Tag, text: string, style: Style, position: TextBox): void {
    this.write(parent, tag, [[{ text, width: this.measure(text, style) }]], style, position);
  }

  /** Draws decoration, which screen readers skip. */
  decorate(draw: () => void, type: 'Layout' | 'Pagination' = 'Layout'): void {
    this.doc.markContent('Artifact', { type });
    this.doc.save();
    draw();
    this.doc.restore();
    this.doc.endMarkedContent();
  }

  /** Adds a link target `top` points down the current page. */
  addTarget(name: string, top: number): void {
    this.doc.addNamedDestination(name, 'XYZ', 0, Math.max(0, top - TARGET_MARGIN), null);
  }

  /**
   * Adds a bookmark for the position `top` points down the current page.
   * @param level `after` adds it at the top level, `inside` adds it to the last bookmark of the top level
   */
  addBookmark(title: string, top: number, level: 'after' | 'inside' = 'after'): void {
    // The library measures `left` from the right edge.
    const position = { top: Math.max(0, top - TARGET_MARGIN), left: PAPER.width };
    const options = Object.assign({ expanded: false }, position);
    if (level === 'inside' && this.#bookmark) this.#bookmark.addItem(title, options);
    else this.#bookmark = this.doc.outline.addItem(title, options);
  }

  drawRule(y: number, left: number, right: number, color: string = INK.line): void {
    this.decorate(() => this.doc.lineWidth(HAIRLINE).moveTo(left, y).lineTo(right, y).stroke(color));
  }

  /** Writes text in a header or footer, which screen readers skip. */
  writePageMark(text: string, style: Style, position: TextBox): void {
    const x = position.right === undefined ? position.x : position.right - this.measure(text, style);
    this.decorate(() => this.#drawText(text, style, x, position.top, position.leading), 'Pagination');
  }

  #writeLink(
    parent: StructureElement,
    text: string,
    url: string,
    style: Style,
    box: { readonly x: number; readonly top: number; readonly width: number; readonly leading: number },
  ): void {
    const link = this.addElement(parent, 'Link');
    link.add(this.doc.markStructureContent('Link'));
    this.#drawText(text, style, box.x, box.top, box.leading);
    const under = box.top + baselineOffset(style, box.leading) + 2;
    this.doc
      .lineWidth(HAIRLINE)
      .moveTo(box.x, under)
      .lineTo(box.x + box.width, under)
      .stroke(INK.strongLine);
    this.doc.endMarkedContent();
    const options = { structParent: link, Contents: Object(text) };
    this.doc.link(box.x, box.top, box.width, box.leading, url, options);
    link.end();
  }

  #drawText(text: string, style: Style, x: number, top: number, leading: number): void {
    this.doc
      .font(style.face)
      .fontSize(style.size)
      .fillColor(style.color)
      .text(text, x, top + baselineOffset(style, leading), {
        lineBreak: false,
        baseline: 'alphabetic',
        ...spacingOptions(style),
      });
  }
}

/** The program that the file's metadata names as its creator. */
const PROGRAM = 'BlackDuck portal';
/** The space that stays visible above a link target, in points. */
const TARGET_MARGIN = 20;

/** The distance from the top of a line to its baseline, chosen to center capital letters vertically in the line. */
function baselineOffset(style: Style, leading: number): number {
  return (leading + style.size * 0.71) / 2;
}

function spacingOptions({ spacing, isTabular }: Style): PDFKit.Mixins.TextOptions {
  return {
    ...(spacing === undefined ? {} : { characterSpacing: spacing }),
    ...(isTabular ? { features: ['tnum'] as PDFKit.Mixins.OpenTypeFeatures[] } : {}),
  };
}

function formatOf(run: Run, style: Style): Style {
  return run.isStrong ? { ...style, face: 'strong' } : style;
}
