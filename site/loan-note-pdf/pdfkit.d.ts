import 'pdfkit';

/** What the library takes and its types do not tell yet (https://pdfkit.org/docs/accessibility.html). */
declare global {
  namespace PDFKit {
    namespace Mixins {
      interface AnnotationOption {
        /** The element that the annotation belongs to. */
        structParent?: PDFKit.PDFStructureElement;
      }
      interface StructureElementOptions {
        /** What a heading cell of a table is the heading of. */
        scope?: 'Column' | 'Row';
        /** Left, top, right and bottom of a figure. */
        bbox?: [number, number, number, number];
      }
    }
    interface PDFStructureElement {
      readonly dictionary: { readonly data: Record<string, unknown> };
    }
  }
}
