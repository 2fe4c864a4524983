import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import opentype, { type Font } from 'opentype.js';
import PDFDocument from 'pdfkit';
import { breakIntoLines, type Line } from './lines.ts';
import { type Face, HAIR, INK, PAPER, type Style } from './paper.ts';
import { unpackedFont } from './unpacked-font.ts';
import type { Run } from './words.ts';

export type Element = PDFKit.PDFStructureElement;

/** Kinds of structure elements that the document is made of (ISO 32000-1, section 14.8.4). */
export type Tag =
  | 'Document'
  | 'Sect'
  | 'Div'
  | 'H1'
  | 'H2'
  | 'H3'
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

export interface SheetOptions {
  readonly title: string;
  readonly author: string;
  readonly subject: string;
  /** The day that the file names as that of its making. */
  readonly date: Date;
}

/** Where lines of text stand. */
export interface Place {
  readonly x: number;
  /** The top of the first line's room. */
  readonly top: number;
  readonly leading: number;
  /** The right edge that the lines end at; they begin at `x` where absent. */
  readonly right?: number;
}

/**
 * A PDF in the making, tagged throughout: every mark on it belongs to an element of its structure or is said to be
 * decoration (PDF/UA-1, ISO 14289-1). Lengths in points, from the top left corner.
 */
export class Sheet {
  readonly doc: PDFKit.PDFDocument;
  readonly root: Element;
  readonly #widths = new Map<string, number>();
  readonly #letters: Font;

  private constructor(doc: PDFKit.PDFDocument, letters: Font) {
    this.doc = doc;
    this.#letters = letters;
    this.root = doc.struct('Document');
    doc.addStructure(this.root);
  }

  static async open({ title, author, subject, date }: SheetOptions): Promise<Sheet> {
    const options: PDFKit.PDFDocumentOptions = {
      autoFirstPage: false,
      size: [PAPER.width, PAPER.height],
      margin: 0,
      // No font of the library's own: each that is used is in the file.
      font: '',
      pdfVersion: '1.7',
      tagged: true,
      lang: 'en-GB',
      displayTitle: true,
      info: { Title: title, Author: author, Subject: subject, CreationDate: date, ModDate: date },
    };
    const doc = new PDFDocument(Object.assign(options, { subset: 'PDF/UA' }));
    for (const [face, file] of Object.entries(FACES))
      doc.registerFont(face, unpackedFont(await readFile(resolve(file))));
    const letters = unpackedFont(await readFile(resolve(FACES.regular)));
    return new Sheet(doc, opentype.parse(new Uint8Array(letters).buffer));
  }

  /** The bytes of the finished document. */
  async close(): Promise<Buffer> {
    const parts: Buffer[] = [];
    this.doc.on('data', (part: Buffer) => parts.push(part));
    const ended = new Promise((resolve, reject) => {
      this.doc.once('end', resolve);
      this.doc.once('error', reject);
    });
    this.root.end();
    this.doc.end();
    await ended;
    return Buffer.concat(parts);
  }

  /** An element within another. It is to be ended. */
  element(parent: Element, tag: Tag, options: PDFKit.Mixins.StructureElementOptions = {}): Element {
    const element = this.doc.struct(tag, options);
    parent.add(element);
    return element;
  }

  /** Width of a line of text. @throws {Error} where the fonts have no sign for a character of it. */
  measure(text: string, style: Style): number {
    const key = `${style.face} ${style.size} ${style.spacing} ${style.isTabular} ${text}`;
    const known = this.#widths.get(key);
    if (known !== undefined) return known;
    const unknown = [...text].find((character) => this.#letters.charToGlyphIndex(character) === 0);
    if (unknown !== undefined) {
      throw new Error(
        `The fonts of the loan note's PDF have no sign for "${unknown}", which stands in "${text}".`,
      );
    }
    const width = this.doc
      .font(style.face)
      .fontSize(style.size)
      .widthOfString(text, { ...spacing(style) });
    this.#widths.set(key, width);
    return width;
  }

  lines(runs: readonly Run[], width: number, style: Style): readonly Line[] {
    return breakIntoLines(runs, width, (run) => this.measure(run.text, mannerOf(run, style)));
  }

  /** Writes lines as an element of their own, with the links in them as elements within. */
  write(parent: Element, tag: Tag, lines: readonly Line[], style: Style, place: Place): void {
    const element = this.element(parent, tag);
    this.writeInto(element, tag, lines, style, place);
    element.end();
  }

  /** Writes lines into an element that holds more than them. */
  writeInto(element: Element, tag: Tag, lines: readonly Line[], style: Style, place: Place): void {
    let isOpen = false;
    const close = () => {
      if (isOpen) this.doc.endMarkedContent();
      isOpen = false;
    };
    lines.forEach((line, index) => {
      const wide = line.reduce((sum, { width }) => sum + width, 0);
      let x = place.right === undefined ? place.x : place.right - wide;
      const top = place.top + index * place.leading;
      for (const part of line) {
        const manner = mannerOf(part, style);
        if (part.link !== undefined) {
          close();
          this.#writeLink(element, part.text, part.link, manner, {
            x,
            top,
            width: part.width,
            leading: place.leading,
          });
        } else {
          if (!isOpen) element.add(this.doc.markStructureContent(tag));
          isOpen = true;
          this.#ink(part.text, manner, x, top, place.leading);
        }
        x += part.width;
      }
    });
    close();
  }

  /** Writes one line of text as an element of its own. */
  writeLine(parent: Element, tag: Tag, text: string, style: Style, place: Place): void {
    this.write(parent, tag, [[{ text, width: this.measure(text, style) }]], style, place);
  }

  /** Draws what says nothing that the text does not say. */
  decorate(draw: () => void, type: 'Layout' | 'Pagination' = 'Layout'): void {
    this.doc.markContent('Artifact', { type });
    this.doc.save();
    draw();
    this.doc.restore();
    this.doc.endMarkedContent();
  }

  /** Names a height of this page, for links that lead there. */
  target(name: string, top: number): void {
    this.doc.addNamedDestination(name, 'XYZ', 0, Math.max(0, top - ABOVE_TARGET), null);
  }

  /** Adds a bookmark to this height of this page. */
  bookmark(title: string, top: number): void {
    // The library counts the left edge from the right one.
    const place = { top: Math.max(0, top - ABOVE_TARGET), left: PAPER.width };
    this.doc.outline.addItem(title, Object.assign({ expanded: false }, place));
  }

  rule(y: number, left: number, right: number, colour: string = INK.line): void {
    this.decorate(() => this.doc.lineWidth(HAIR).moveTo(left, y).lineTo(right, y).stroke(colour));
  }

  /** Text that every page repeats. */
  pageMark(text: string, style: Style, place: Place): void {
    const x = place.right === undefined ? place.x : place.right - this.measure(text, style);
    this.decorate(() => this.#ink(text, style, x, place.top, place.leading), 'Pagination');
  }

  #writeLink(
    parent: Element,
    text: string,
    address: string,
    style: Style,
    at: { readonly x: number; readonly top: number; readonly width: number; readonly leading: number },
  ): void {
    const link = this.element(parent, 'Link');
    link.add(this.doc.markStructureContent('Link'));
    this.#ink(text, style, at.x, at.top, at.leading);
    const under = at.top + baseline(style, at.leading) + 2;
    this.doc
      .lineWidth(HAIR)
      .moveTo(at.x, under)
      .lineTo(at.x + at.width, under)
      .stroke(INK.strongLine);
    this.doc.endMarkedContent();
    const options = { structParent: link, Contents: Object(text) };
    this.doc.link(at.x, at.top, at.width, at.leading, address, options);
    link.end();
  }

  #ink(text: string, style: Style, x: number, top: number, leading: number): void {
    this.doc
      .font(style.face)
      .fontSize(style.size)
      .fillColor(style.colour)
      .text(text, x, top + baseline(style, leading), {
        lineBreak: false,
        baseline: 'alphabetic',
        ...spacing(style),
      });
  }
}

/** Points of what is above that are shown with what a link leads to. */
const ABOVE_TARGET = 20;

/** From the top of a line's room to its baseline: capitals stand in the middle of it. */
function baseline(style: Style, leading: number): number {
  return (leading + style.size * 0.71) / 2;
}

function spacing({ spacing, isTabular }: Style): PDFKit.Mixins.TextOptions {
  return {
    ...(spacing === undefined ? {} : { characterSpacing: spacing }),
    ...(isTabular ? { features: ['tnum'] as PDFKit.Mixins.OpenTypeFeatures[] } : {}),
  };
}

function mannerOf(run: Run, style: Style): Style {
  return run.isStrong ? { ...style, face: 'strong' } : style;
}
