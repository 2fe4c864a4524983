import { submitContactMessage } from '../../data/contract/submissions.ts';
import { CONTACT_FORM } from '../../data/model/forms/contact-form.ts';
import { toStoredFields } from '../../data/model/forms/field.ts';
import { rowId } from '../../data/store/row-id.ts';
import {
  checkOptionalAddress,
  readForm,
  type SubmissionContext,
  submissionOptions,
  submissionResponse,
} from '../applications/submission-helpers.ts';
import { type ApiRoute, callRoute } from '../call-router.ts';

export function contactRoute(context: SubmissionContext): ApiRoute {
  return callRoute(submitContactMessage, { limit: 'submissions' }, async (request, response) => {
    const body = readForm(submitContactMessage.body, request.body);
    const fields = toStoredFields(CONTACT_FORM.fields, body);
    checkOptionalAddress(fields.walletAddress);
    const createdAt = context.now();
    const options = submissionOptions(request, body, { success: true }, context);
    const message = { ...fields, id: rowId(createdAt), createdAt };
    const outcome = await context.store.submissions.submit('contact-message', message, options);
    response.json(submissionResponse(outcome, createdAt));
  });
}
