import 'pdfkit';

/** Options that the library accepts but its types lack (https://pdfkit.org/docs/accessibility.html). */
declare global {
  namespace PDFKit {
    namespace Mixins {
      interface AnnotationOption {
        /** The structure element that the annotation belongs to. */
        structParent?: PDFKit.PDFStructureElement;
      }
      interface StructureElementOptions {
        /** Whether a header cell applies to its column or to its row. */
        scope?: 'Column' | 'Row';
        /** The left, top, right and bottom edges of a figure, in points. */
        bbox?: [number, number, number, number];
      }
    }
    interface PDFStructureElement {
      readonly dictionary: { readonly data: Record<string, unknown> };
    }
  }
}
