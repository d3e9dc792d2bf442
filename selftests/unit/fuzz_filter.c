// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as a filter: seven numbers for the fields, the rest the text.
 * What is taken means what the oracle says; what is not is explained.
 */
#include "io/filter.h"
#include "filter_oracle.h"
#include "fuzz.h"

static void check_error(const char *text, const struct iob_filter_err *err)
{
	size_t len = strlen(text), size = iob_filter_explain_size(len);
	char *buf = malloc(size);
	int i, got = iob_filter_explain(text, err, buf, size);

	REQUIRE(err->pos >= 0 && (size_t)err->pos <= len && err->msg);
	REQUIRE(got == (int)strlen(buf) && (size_t)got < size - 1);
	for (i = 0; i < got; i++)
		REQUIRE(buf[i] == '\n' || (buf[i] >= ' ' && buf[i] <= '~'));
	REQUIRE(buf[len] == '\n' && buf[len + 1 + err->pos] == '^');
	REQUIRE(!strncmp(buf + len + err->pos + 2, "\nparse_error: ", 14));
	free(buf);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct iob_fields fields = { { 0 } };
	struct iob_filter_err err = { -1, NULL };
	struct iob_filter f;
	char *text;
	int want;

	if (size < sizeof(fields))
		return 0;
	memcpy(&fields, data, sizeof(fields));
	text = fuzz_text(data + sizeof(fields), size - sizeof(fields));
	want = oracle_eval(text, &fields);
	if (iob_filter_parse(text, &f, &err)) {
		REQUIRE(want < 0);
		check_error(text, &err);
	} else {
		REQUIRE(iob_filter_match(&f, &fields) == want);
	}
	free(text);
	return 0;
}
