/* SPDX-License-Identifier: GPL-2.0 */
/* A test that needs it has its own. */
