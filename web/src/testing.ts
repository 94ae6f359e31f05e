/** Before every unit test file: what comes late on a busy machine is waited for. What must be fast is measured by benches. */
import { configure } from '@testing-library/react'

configure({ asyncUtilTimeout: 10_000 })
