// SPDX-License-Identifier: GPL-2.0
/*
 * Write a firmware image for the 8051 to standard output: a header that the
 * driver accepts (firmware.c, verify_css_header() and obtain_one_firmware())
 * and a payload of no meaning, since the emulated 8051 runs none.
 */
#include <stdio.h>

#define HEADER_WORDS	32
#define KEY_BYTES	256
#define EXPONENT_BYTES	4
#define MU_BYTES	8
#define PAYLOAD_BYTES	64

/* header, modulus, exponent, signature */
#define PREFIX_BYTES	(HEADER_WORDS * 4 + KEY_BYTES + EXPONENT_BYTES + KEY_BYTES)

/* r2 and mu come behind the prefix, and the size field leaves them out */
#define AUGMENTED_BYTES	(PREFIX_BYTES + KEY_BYTES + MU_BYTES)

enum header_word {
	MODULE_TYPE = 0,
	HEADER_LENGTH = 1,
	HEADER_VERSION = 2,
	MODULE_VENDOR = 4,
	DATE = 5,
	SIZE = 6,
	KEY_SIZE = 7,
	MODULUS_SIZE = 8,
	EXPONENT_SIZE = 9,
};

int main(void)
{
	unsigned char image[AUGMENTED_BYTES + PAYLOAD_BYTES] = { 0 };
	unsigned int header[HEADER_WORDS] = {
		[MODULE_TYPE] = 6,
		[HEADER_LENGTH] = PREFIX_BYTES / 4,
		[HEADER_VERSION] = 0x10000,
		[MODULE_VENDOR] = 0x8086,
		[DATE] = 0x20260101,
		[SIZE] = (PREFIX_BYTES + PAYLOAD_BYTES) / 4,
		[KEY_SIZE] = KEY_BYTES / 4,
		[MODULUS_SIZE] = KEY_BYTES / 4,
		[EXPONENT_SIZE] = EXPONENT_BYTES / 4,
	};
	int i, byte;

	for (i = 0; i < HEADER_WORDS; i++) {
		for (byte = 0; byte < 4; byte++)
			image[4 * i + byte] = (unsigned char)(header[i] >> 8 * byte);
	}
	if (fwrite(image, sizeof(image), 1, stdout) != 1 || fflush(stdout)) {
		perror("mkfw8051: cannot write the image");
		return 1;
	}
	return 0;
}
