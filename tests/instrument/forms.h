/* SPDX-License-Identifier: MIT
 *
 * What a form needs of the processor.
 */
#ifndef FORMS_H
#define FORMS_H

enum form_needs {
	FORM_ANY,
	FORM_AVX2, /* and BMI2 */
	FORM_AVX512,
	FORM_XSAVE,
	FORM_MOVBE,
	FORM_CLZERO,
	FORM_DIRECT, /* movdiri, movdir64b */
	FORM_RDRAND,
};

#endif
