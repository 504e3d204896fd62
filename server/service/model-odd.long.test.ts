// Half of the seeds of the model-based test; the other half runs beside it.
import { describeModel } from '../testing/world/describe-model.ts'

describeModel(Array.from({ length: 41 }, (_, index) => 1 + 2 * index))
